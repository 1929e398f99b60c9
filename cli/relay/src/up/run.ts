import { isRelayError, RelayError } from '@ranger-relay/errors';
import { compose as composeForwarder } from '@ranger-relay/observation-forwarder';
import { platformSettings, type Platform, type PlatformSettings } from '@ranger-relay/platform';
import type { Context } from '@ranger-relay/runtime';
import { connectBus, connectKv, connectPlatform, endOfLife, topicsOf, type EndReason } from '@ranger-relay/service';
import { compose as composeIngester } from '@ranger-relay/webhook-ingester';
import { openDataDir, openStores, type DataDir, type Stores } from '../data-dir/index.ts';
import type { Shell } from '@ranger-relay/terminal';
import { collectStatus, followActivity, startStatusServer } from '../status/index.ts';
import { banner } from './banner.ts';
import { isSimulated, type UpConfig } from './config.ts';
import { createContexts, type Contexts } from './contexts.ts';
import { startSimulation, type Simulation } from './simulation.ts';

/** What a person has allowed about stores that were lost or damaged. */
export interface UpOptions {
  readonly acceptEmptyBus: boolean;
  readonly salvageBus: boolean;
}

/** A running system. */
export interface Up {
  /** Resolves when it cannot go on by itself. */
  readonly failed: Promise<EndReason>;
  stop(): Promise<void>;
}

const loopback = '127.0.0.0/8';

const settingsOf = (config: UpConfig, simulation: Simulation | undefined): PlatformSettings => {
  if (!simulation) return platformSettings(config);
  const { apiBaseUrl, sensorsBaseUrl, tokenUrl, client } = simulation.platform;
  return {
    apiBaseUrl,
    sensorsBaseUrl,
    tokenUrl,
    clientId: client.id,
    clientSecret: client.secret,
    audience: undefined,
    grant: 'client_credentials',
  };
};

/** The configuration with what the simulation brings and what depends on it. */
const withSimulation = (config: UpConfig, simulation: Simulation | undefined) => ({
  ...config,
  HOST: config.HOST ?? (simulation ? '127.0.0.1' : '0.0.0.0'),
  HEALTH_PORT: undefined,
  INTEGRATION_TYPE_SLUG: config.PUSHER_TYPE_SLUG,
  WEBHOOK_TOKENS_FILE: config.WEBHOOK_TOKENS_FILE ?? simulation?.tokensFile,
  HTTP_ALLOWED_NETWORKS: simulation ? [...config.HTTP_ALLOWED_NETWORKS, loopback] : config.HTTP_ALLOWED_NETWORKS,
});

type Settings = ReturnType<typeof withSimulation>;

const openAll = async (dir: DataDir, context: Context, config: UpConfig, options: UpOptions): Promise<Stores> => {
  const elsewhere = {
    ...(config.KAFKA_BROKERS ? { bus: connectBus(context, config, 'up') } : {}),
    ...(config.KV_HOST !== undefined || config.KV_SENTINELS ? { kv: connectKv(context, config) } : {}),
  };
  const stores = await openStores(dir, { ...options, topics: topicsOf(config), context }, elsewhere);
  if (!elsewhere.bus) {
    context.lifecycle.onStop('bus', () => stores.bus.close());
    context.health.addLiveness({ name: 'bus file', ok: () => stores.bus.ready() });
  }
  if (!elsewhere.kv) context.lifecycle.onStop('store', () => stores.kv.close());
  return stores;
};

const startServices = async (contexts: Contexts, stores: Stores, platform: Platform, config: Settings) => {
  const { bus, kv } = stores;
  const { activity, sensors, integrations } = platform;
  // On files of this machine nobody else can have this name; on Kafka others work beside it.
  const owner = config.KAFKA_BROKERS ? contexts.of('names').random.uuid() : 'up';
  const ingester = contexts.of('webhook-ingester');
  const forwarder = contexts.of('observation-forwarder');
  const { port: forwarderPort } = await composeForwarder(
    forwarder,
    { bus, kv, sensors, activity, owner },
    { ...config, PORT: config.FORWARDER_PORT },
    'FORWARDER_PORT',
  );
  const { port: ingesterPort } = await composeIngester(
    ingester,
    { bus, kv, activity, loadIntegration: integrations.loadIntegration },
    { ...config, PORT: config.INGESTER_PORT },
    'INGESTER_PORT',
  );
  const services = () => [
    { name: 'webhook-ingester', ready: ingester.health.ready().ok },
    { name: 'observation-forwarder', ready: forwarder.health.ready().ok },
  ];
  return { ingesterPort, forwarderPort, services, counted: [ingester.metrics, forwarder.metrics] };
};

const startAll = async (shell: Shell, contexts: Contexts, config: UpConfig, options: UpOptions): Promise<void> => {
  const base = contexts.of('up');
  const dir = await openDataDir(config.DATA_DIR, base);
  base.lifecycle.onStop('data directory', () => dir.release());
  const stores = await openAll(dir, base, config, options);
  const simulation = isSimulated(config) ? await startSimulation(dir, contexts.of('simulation')) : undefined;
  const settings = withSimulation(config, simulation);
  const outside = settingsOf(config, simulation);
  const platform = connectPlatform(contexts.of('platform'), stores, settings, outside);
  const running = await startServices(contexts, stores, platform, settings);
  const { port: statusPort } = await startStatusServer({
    context: contexts.of('status'),
    port: config.STATUS_PORT,
    collect: collectStatus({ ...stores, services: running.services, clock: base.clock }),
    counted: running.counted,
    recentActivity: followActivity(stores.bus, config.INTEGRATION_EVENTS_TOPIC, base),
    ...(simulation ? { simulated: simulation.items } : {}),
  });

  const webhookUrl = `http://127.0.0.1:${running.ingesterPort}/webhooks`;
  const ownTokens = config.WEBHOOK_AUTH === 'token' && config.WEBHOOK_TOKENS_FILE === undefined;
  if (simulation && ownTokens) simulation.startFleet(webhookUrl, config.SIMULATED_DEVICES);
  shell.out(
    banner({
      dataDir: dir.path,
      pid: process.pid,
      statusUrl: `http://127.0.0.1:${statusPort}`,
      webhookUrl,
      forwarderUrl: `http://127.0.0.1:${running.forwarderPort}`,
      platformUrl: outside.apiBaseUrl,
      warnings: stores.warnings,
      ...(simulation && ownTokens ? { trial: { ...simulation, devices: config.SIMULATED_DEVICES } } : {}),
    }),
  );
};

/**
 * Starts everything in this process, in order: directory, stores, platform, services, status page, fleet.
 * @throws RelayError with a sentence for a person; what was started by then is stopped
 */
export const runUp = async (shell: Shell, config: UpConfig, options: UpOptions): Promise<Up> => {
  const contexts = createContexts(config.LOG_LEVEL, (line) => shell.err(line.trimEnd()));
  try {
    await startAll(shell, contexts, config, options);
  } catch (error) {
    await contexts.stop();
    throw isRelayError(error) ? error : new RelayError('internal', { cause: error });
  }
  return { failed: endOfLife(contexts.all()), stop: () => contexts.stop() };
};
