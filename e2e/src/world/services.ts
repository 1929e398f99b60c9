import { compose as composeRunner, runnerEnv, runnerProblems } from '@ranger-relay/action-runner';
import { commandsTopicSpec } from '@ranger-relay/actions';
import { topics, type TopicSpec } from '@ranger-relay/contracts';
import { compose as composePusher, pusherEnv, pusherProblems } from '@ranger-relay/message-pusher';
import { compose as composeForwarder, forwarderEnv } from '@ranger-relay/observation-forwarder';
import { keepEpoch } from '@ranger-relay/kv';
import { platformSettings } from '@ranger-relay/platform';
import {
  type Context,
  createConditions,
  createHealth,
  createLifecycle,
  createLogger,
  createMetrics,
  metricList,
  noTracing,
  repeatAtRate,
} from '@ranger-relay/runtime';
import { connectPlatform, createClockGuard, eventTopics, parseServiceEnv, watchBusWrites } from '@ranger-relay/service';
import { compose as composeIngester, ingesterEnv, ingesterProblems } from '@ranger-relay/webhook-ingester';
import type { WorldBus } from './bus.ts';
import type { Network } from './network.ts';
import { createProcess, type DecideFate, type SimulatedProcess } from './process.ts';
import type { Simulation } from './simulation.ts';
import type { WorldStore } from './store.ts';

/** Everything that a service runs on. */
export interface Surroundings {
  readonly simulation: Simulation;
  readonly fate: DecideFate;
  readonly network: Network;
  readonly bus: WorldBus;
  readonly store: WorldStore;
  readonly env: Readonly<Record<string, string>>;
  /** Receives the log lines of all services. */
  readonly log: (line: string) => void;
  /** Called when a process ends in the middle of its work. */
  readonly onKilled: () => void;
}

type Connections = Omit<Surroundings, 'simulation' | 'fate' | 'log' | 'onKilled'>;

/** Connects a service as its `main.ts` does, and starts it. */
type Start = (process: SimulatedProcess, context: Context, connections: Connections) => Promise<unknown>;

const connect = async <Config extends Parameters<typeof connectPlatform>[2] & Parameters<typeof platformSettings>[0]>(
  process: SimulatedProcess,
  context: Context,
  { bus, store, network }: Connections,
  config: Config,
) => {
  const stores = { bus: watchBusWrites(context, bus.connect(process, context)), kv: store.connect(process) };
  context.lifecycle.onStop('bus', () => stores.bus.close());
  await keepEpoch(context, stores.kv);
  const platform = connectPlatform(context, stores, config, platformSettings(config), () => network.clientOf(process));
  return { ...stores, platform };
};

const starts = {
  async 'webhook-ingester'(process, context, connections) {
    const config = parseServiceEnv({ env: ingesterEnv, rules: ingesterProblems }, connections.env);
    const { bus, kv, platform } = await connect(process, context, connections, config);
    const { activity, integrations } = platform;
    const clockGuard = await createClockGuard(context, { bus, platform, topics: eventTopics });
    const { loadIntegration } = integrations;
    await composeIngester(context, { bus, kv, activity, loadIntegration, clockGuard }, config);
  },
  async 'observation-forwarder'(process, context, connections) {
    const config = parseServiceEnv({ env: forwarderEnv }, connections.env);
    const { bus, kv, platform } = await connect(process, context, connections, config);
    const { sensors, activity } = platform;
    await composeForwarder(context, { bus, kv, sensors, activity }, config);
  },
  async 'message-pusher'(process, context, connections) {
    const config = parseServiceEnv({ env: pusherEnv, rules: pusherProblems }, connections.env);
    const connected = await connect(process, context, connections, config);
    await composePusher(context, { ...connected, http: connections.network.clientOf(process) }, config);
  },
  async 'action-runner'(process, context, connections) {
    const config = parseServiceEnv({ env: runnerEnv, rules: runnerProblems }, connections.env);
    const connected = await connect(process, context, connections, config);
    const ticker = (onTick: () => void) => {
      const stop = repeatAtRate(
        { clock: context.clock, everyMs: 60_000, firstMs: 60_000 - (context.clock.now() % 60_000) },
        onTick,
      );
      return { stop: () => void stop() };
    };
    const http = connections.network.clientOf(process);
    await composeRunner(context, { ...connected, http }, config, 'PORT', { ticker });
  },
} as const satisfies Record<string, Start>;

/** Name of a service. */
export type ServiceName = keyof typeof starts;

/** The services, in the order in which they start. */
export const serviceNames = Object.keys(starts) as ServiceName[];

/** Topics of the services. */
export const serviceTopics: readonly TopicSpec[] = [
  ...Object.values(topics),
  ...['device_connector', 'site_connector'].map((slug) =>
    commandsTopicSpec({ INTEGRATION_COMMANDS_TOPIC: undefined }, slug),
  ),
];

const contextOf = (
  { name, clock, random }: SimulatedProcess,
  service: ServiceName,
  { log }: Surroundings,
): Omit<Context, 'serve'> => {
  const write = (line: string): void => log(`${name} ${line}`);
  const logger = createLogger({ service, level: 'warn', write, now: clock.now });
  const metrics = createMetrics(metricList);
  return {
    service,
    log: logger,
    clock,
    random,
    metrics,
    conditions: createConditions({ clock, log: logger, metrics }),
    health: createHealth(),
    lifecycle: createLifecycle(logger),
    tracing: noTracing,
  };
};

/** One replica of a service: a process that is started again whenever it ends. */
export interface Replica {
  readonly service: ServiceName;
  readonly name: string;
  /** The process that runs now; undefined while none does. */
  process(): SimulatedProcess | undefined;
  context(): Context | undefined;
  /** Ends the process as SIGTERM does; another one starts afterwards. */
  stop(): Promise<void>;
  kills(): number;
}

const restartMs = 5_000;
const probeMs = 10_000;
const maxFailedProbes = 3;
/** Time from SIGTERM to SIGKILL, ms. */
const graceMs = 90_000;

/** Starts a replica. */
export const startReplica = (service: ServiceName, index: number, surroundings: Surroundings): Replica => {
  const { simulation, network, fate } = surroundings;
  const { clock } = simulation;
  const name = `${service}-${index}`;
  let births = 0;
  let kills = 0;
  /** Whether the process that runs has ended its work. */
  let stopped = false;
  let process: SimulatedProcess | undefined;
  let context: Context | undefined;

  const begin = (): void => {
    births += 1;
    const born = createProcess({
      simulation,
      name: `${name}#${births}`,
      fate,
      onKilled() {
        kills += 1;
        if (!stopped) surroundings.onKilled();
        stopped = false;
        process = undefined;
        context = undefined;
        clock.after(restartMs, begin);
      },
    });
    process = born;
    const own: Context = { ...contextOf(born, service, surroundings), serve: network.serve(born, `${service}.world`) };
    context = own;
    const start: Start = starts[service];
    start(born, own, surroundings).catch((error: unknown) => {
      simulation.note(`${born.name} did not start: ${String(error)}`);
      born.kill();
    });
    watch(born, own, 0);
  };
  /** The kubelet: ends what is not live. */
  const watch = (born: SimulatedProcess, own: Context, failed: number): void => {
    clock.after(probeMs, () => {
      if (!born.alive()) return;
      const fails = own.health.live().ok ? 0 : failed + 1;
      if (fails < maxFailedProbes) return watch(born, own, fails);
      simulation.note(`${born.name} is not live`);
      born.kill();
    });
  };
  begin();
  return {
    service,
    name,
    process: () => process,
    context: () => context,
    kills: () => kills,
    async stop() {
      const [ending, own] = [process, context];
      if (!ending || !own) return;
      simulation.note(`${ending.name} stopping`);
      const killed = clock.after(graceMs, () => ending.kill());
      ending.run(async () => {
        await own.lifecycle.stop();
        killed.cancel();
        stopped = ending.alive();
        ending.kill();
      });
    },
  };
};
