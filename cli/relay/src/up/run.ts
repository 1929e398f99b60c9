import { keepEpoch, type KeyValue } from '@ranger-relay/kv';
import { type Context, endOfLife, type EndReason, lineWriter, repeat, unexpectedFailure } from '@ranger-relay/runtime';
import {
  connectBus,
  connectKv,
  connectPlatform,
  createClockGuard,
  eventTopics,
  isElsewhere,
  shareConditions,
  topicsOf,
  watchBusWrites,
} from '@ranger-relay/service';
import type { Shell } from '@ranger-relay/terminal';
import { ingesterWarnings } from '@ranger-relay/webhook-ingester';
import {
  checkStoredEvents,
  claimDirectory,
  type Addresses,
  type DataDir,
  lockPath,
  openStores,
  type StoredEvents,
} from '../data-dir/index.ts';
import { acceptedCounts } from '@ranger-relay/observation-forwarder';
import { collectStatus, followActivity, startStatusServer, waitingEvents } from '../status/index.ts';
import { commandTopics } from '../topics/env.ts';
import { banner } from './banner.ts';
import { isSimulated, platformKind, runsActions, type UpConfig, upEnv } from './config.ts';
import { type Contexts, createContexts, measureReady } from './contexts.ts';
import { refuseWhileLost, watchHeldFiles } from './held-files.ts';
import { type Prepared, prepareUp, type UpOptions } from './prepare.ts';
import { type Running, startServices, type WatchedStores } from './services.ts';
import { outsideOf, settingsOf } from './settings.ts';
import { simulatedIds, type Simulation, startSimulation } from './simulation.ts';
import { startFailure, watchVolume } from './volume.ts';

/** Shows at each scrape whether the store on this machine answers and takes writes. */
export const measureStore = (
  { service, metrics, conditions }: Pick<Context, 'service' | 'metrics' | 'conditions'>,
  kv: Pick<KeyValue, 'ready'>,
): void =>
  metrics.onScrape(() => {
    const takesWrites = conditions.find('store_write_failing', service) === undefined;
    metrics.set('relay_store_ready', kv.ready() && takesWrites ? 1 : 0, { store: 'file' });
  });

/** Variables that commands beside `up` read as `up` does. */
const repeated = ['DATA_DIR'] as const;

const quoted = (value: string): string => (/^[\w./:-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`);

/** What another terminal must be told before a command, as `NAME=value`: what differs from the defaults. */
export const settingsToRepeat = (config: Pick<UpConfig, (typeof repeated)[number]>): readonly string[] =>
  repeated
    .filter((name) => String(config[name]) !== upEnv[name].default)
    .map((name) => `${name}=${quoted(String(config[name]))}`);

/** A running system. */
interface Up {
  /** Resolves when it cannot go on by itself. */
  readonly failed: Promise<EndReason>;
  stop(): Promise<void>;
}

const actionsOff =
  'message pusher and action runner are off: AUTH_TOKEN is not set, and without it nobody may call them. Texts to devices and pulls wait.';

const openAll = async (
  dir: DataDir,
  context: Context,
  requireForAll: Contexts['requireForAll'],
  config: UpConfig,
  options: UpOptions,
): Promise<WatchedStores> => {
  const commands = isSimulated(config) || runsActions(config) ? commandTopics(config) : [];
  const elsewhere = {
    ...(config.KAFKA_BROKERS ? { bus: await connectBus(context, config, 'up', commands) } : {}),
    ...(isElsewhere(config) ? { kv: await connectKv(context, config) } : {}),
  };
  const stores = await openStores(dir, { ...options, topics: topicsOf(config, commands), context }, elsewhere);
  if (!elsewhere.bus) {
    context.lifecycle.onStop('bus', () => stores.bus.close());
    context.health.addLiveness({ name: 'bus file', ok: () => stores.bus.ready() });
  }
  if (!elsewhere.kv) {
    measureStore(context, stores.kv);
    context.lifecycle.onStop('store', () => stores.kv.close());
  }
  await keepEpoch(context, stores.kv);
  if (elsewhere.bus) return { ...stores, bus: elsewhere.bus };
  const { bus, kv } = dir.paths;
  const problem = await watchHeldFiles(context, {
    vital: [bus, `${bus}-wal`, lockPath(dir.path)],
    others: elsewhere.kv ? [] : [kv, `${kv}-wal`],
  });
  requireForAll({ name: 'files of DATA_DIR in place', ok: () => problem() === null });
  return { ...stores, bus: watchBusWrites(context, refuseWhileLost(stores.bus, problem), { oneFile: true }) };
};

/** What has started, for the banner. */
interface Begun {
  readonly config: UpConfig;
  readonly dir: DataDir;
  readonly stores: WatchedStores;
  readonly simulation: Simulation | undefined;
  readonly platformUrl: string;
  readonly addresses: Addresses;
}

const anyAddress = new Set(['::', '0.0.0.0']);

/** Address of a service for a caller on this machine. */
export const addressAt = (host: string, port: number): string => {
  const reached = anyAddress.has(host) ? '127.0.0.1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
};

const addressesOf = ({ HOST: host }: UpConfig, { ports }: Running, statusPort: number): Addresses => ({
  status: addressAt('127.0.0.1', statusPort),
  ingester: addressAt(host, ports.ingester),
  forwarder: addressAt(host, ports.forwarder),
  pusher: ports.pusher === undefined ? null : addressAt(host, ports.pusher),
  runner: ports.runner === undefined ? null : addressAt(host, ports.runner),
});

/** What a person should know of a start: about its stores, and what of its configuration leaves something out. */
export const notesOf = (
  config: Parameters<typeof ingesterWarnings>[0],
  ofStores: readonly string[],
  hasActions: boolean,
): readonly string[] => [...ofStores, ...ingesterWarnings(config), ...(hasActions ? [] : [actionsOff])];

const tellBegun = (shell: Shell, begun: Begun): void => {
  const { config, dir, stores, simulation, platformUrl, addresses } = begun;
  const webhookUrl = `${addresses.ingester}/webhooks`;
  const ownTokens = config.WEBHOOK_AUTH === 'token' && config.WEBHOOK_TOKENS_FILE === undefined;
  const trial = simulation && {
    ...simulation,
    // Settings of the user are not printed.
    actionsToken: config.AUTH_TOKEN === undefined ? simulation.actionsToken : '$AUTH_TOKEN',
    devices: config.SIMULATED_DEVICES,
    settings: settingsToRepeat(config),
  };
  if (ownTokens) simulation?.startFleet(webhookUrl);
  const { pusher, runner } = addresses;
  shell.out(
    banner({
      dataDir: dir.path,
      pid: process.pid,
      statusUrl: addresses.status,
      webhookUrl,
      forwarderUrl: addresses.forwarder,
      actions: pusher === null || runner === null ? undefined : { pusherUrl: pusher, runnerUrl: runner },
      onAllAddresses: anyAddress.has(config.HOST),
      platformUrl,
      warnings: notesOf(config, stores.warnings, addresses.runner !== null),
      ...(trial && ownTokens ? { trial } : {}),
    }),
  );
};

const storedEvents = (dir: DataDir, { bus, kv }: WatchedStores, config: UpConfig): StoredEvents => ({
  integrations: async () => [...(await acceptedCounts(kv.state)).keys(), ...(await waitingEvents(bus)).keys()],
  simulated: Object.values(simulatedIds(dir)),
  shared: config.KAFKA_BROKERS !== undefined || isElsewhere(config),
});

const collectEveryMs = 15_000;

const startAll = async (
  shell: Shell,
  contexts: Contexts,
  { config, dir }: Prepared,
  options: UpOptions,
): Promise<Running> => {
  const base = contexts.of('up');
  base.lifecycle.onStop('data directory', () => dir.release());
  const kind = platformKind(config);
  await claimDirectory(dir, kind);
  const stores = await openAll(dir, base, contexts.requireForAll, config, options);
  await checkStoredEvents(dir, kind, storedEvents(dir, stores, config));
  const simulation = isSimulated(config) ? await startSimulation(dir, contexts.of('simulation'), config) : undefined;
  const settings = settingsOf(config, simulation);
  const outside = outsideOf(config, simulation);
  const connecting = { ...settings, INTEGRATION_TYPE_SLUG: config.PUSHER_TYPE_SLUG };
  const platform = connectPlatform(contexts.of('platform'), stores, connecting, outside);
  for (const change of simulation?.changes ?? []) await platform.applyConfigEvent(change);
  // Before any request and any look: a good one ends what the last process has left.
  await shareConditions(base, { kv: stores.kv, platform, instance: 'up' });
  watchVolume(base, dir.path);
  const clockGuard = await createClockGuard(base, { ...stores, platform, topics: eventTopics });
  const running = await startServices(contexts, { ...stores, platform, clockGuard }, settings);
  if (running.ports.runner === undefined) base.log.warn(actionsOff);
  const recent = followActivity(stores.bus, config.INTEGRATION_EVENTS_TOPIC, base);
  const collect = collectStatus({
    ...stores,
    services: running.services,
    runs: recent.runs,
    conditions: base.conditions,
    clock: base.clock,
  });
  // Also while nobody looks: the log and the metrics show the same conditions.
  const stopCollecting = repeat({ clock: base.clock, everyMs: collectEveryMs }, () => collect().catch(() => undefined));
  base.lifecycle.onStop('status', () => void stopCollecting());
  const { port: statusPort } = await startStatusServer({
    context: contexts.of('status'),
    port: config.STATUS_PORT,
    collect,
    recentActivity: recent.entries,
    up: { id: dir.runId, data_dir: dir.path, platform: kind },
    settings: settingsToRepeat(config),
    ...(simulation ? { simulated: simulation.items } : {}),
  });
  measureReady(contexts);
  const addresses = addressesOf(config, running, statusPort);
  await dir.announce(addresses);
  contexts.started();
  tellBegun(shell, { config, dir, stores, simulation, platformUrl: outside.apiBaseUrl, addresses });
  return running;
};

/**
 * Starts everything in this process, in order: first half (variables, directory, ports), stores, platform, services, status page, fleet.
 * @throws RelayError with a sentence for the user; services that were started by then are stopped
 */
export const runUp = async (shell: Shell, options: UpOptions, host: NodeJS.Process): Promise<Up> => {
  const prepared = await prepareUp(shell, options);
  const { config, ports } = prepared;
  const contexts = createContexts(config, lineWriter(host.stderr), ports.serve);
  const running: Partial<Running> = {};
  const leaked = unexpectedFailure(host, contexts.of('process').log, (reason) => running.ownsLeak?.(reason) ?? false);
  try {
    Object.assign(running, await startAll(shell, contexts, prepared, options));
  } catch (error) {
    await ports.release();
    await contexts.stop();
    throw await startFailure(error, config.DATA_DIR);
  }
  return { failed: Promise.race([leaked, endOfLife(contexts.all())]), stop: () => contexts.stop() };
};
