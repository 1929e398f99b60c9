import type { TopicSpec } from '@ranger-relay/contracts';
import type { KeyValue } from '@ranger-relay/kv';
import { type Platform, platformProblems, platformSettings } from '@ranger-relay/platform';
import {
  type Context,
  type Env,
  type EnvProblem,
  type EnvTable,
  misspeltVariables,
  parseEnv,
  runProcess,
  type TracingConfig,
} from '@ranger-relay/runtime';
import type { WatchedBus } from './bus-conditions.ts';
import { aloneEnv, type ConnectEnv, connectPlatform } from './platform.ts';
import { shareConditions } from './share-conditions.ts';
import { connectBus, connectKv } from './stores.ts';

/** The connections that a service receives at its start. */
export interface Connections {
  readonly bus: WatchedBus;
  readonly kv: KeyValue;
  readonly platform: Platform;
}

/** A service that can run alone. */
export interface ServiceSpec<Table extends EnvTable> {
  readonly name: string;
  /** Its own variables; `runService` adds those of bus and store. */
  readonly env: Table;
  /** Rules between its variables. */
  readonly rules?: (config: Env<Table>) => readonly EnvProblem[];
  /** Topics in addition to those of every installation. */
  readonly topics?: (config: Env<Table>) => readonly TopicSpec[];
  readonly start: (context: Context, connections: Connections, config: Env<Table>) => Promise<Started>;
}

/** A running service. */
export interface Started {
  readonly port: number;
  /** Returns true for an unhandled rejection that belongs to isolated work; it does not end the process. */
  readonly ownsLeak?: (reason: unknown) => boolean;
}

/** Configuration of a service that runs alone. */
type Alone = Env<typeof aloneEnv> & Omit<ConnectEnv, keyof Env<typeof aloneEnv>>;

/** How long clients on keep-alive connections are asked to close them, ms. */
const leaveMs = 1_000;

/** A service with longer tasks has its own default of STOP_GRACE_S. */
const tableOf = <Table extends EnvTable>(env: Table): Table & typeof aloneEnv => {
  const { STOP_GRACE_S = aloneEnv.STOP_GRACE_S }: EnvTable = env;
  return { ...env, ...aloneEnv, STOP_GRACE_S } as Table & typeof aloneEnv;
};

/**
 * Parses the variables of a service that runs alone, and checks all rules between them.
 * @throws RelayError `config_invalid` with a line for each variable that is wrong, missing or misspelt
 */
export const parseServiceEnv = <Table extends EnvTable>(
  { env, rules = () => [] }: Pick<ServiceSpec<Table>, 'env' | 'rules'>,
  source: NodeJS.ProcessEnv,
): Env<Table> & Alone => {
  const table = tableOf(env);
  return parseEnv(table, source, (parsed) => [
    ...rules(parsed as Env<Table>),
    ...platformProblems(parsed as unknown as Alone),
    ...misspeltVariables(table, source),
  ]) as Env<Table> & Alone;
};

/**
 * Runs one service until it receives a signal or can no longer work. Resolves with the exit code: 0 after a signal, 1 when it could not start or
 * failed.
 */
export const runService = <Table extends EnvTable>(
  host: NodeJS.Process,
  { name, topics, start, ...spec }: ServiceSpec<Table>,
): Promise<0 | 1> =>
  runProcess(host, () => {
    const config = parseServiceEnv(spec, host.env);
    return {
      service: name,
      level: (config as { LOG_LEVEL?: string }).LOG_LEVEL ?? 'info',
      traces: config as Partial<TracingConfig>,
      graceMs: config.STOP_GRACE_S * 1_000,
      leaveMs,
      async start(context) {
        const settings = platformSettings(config);
        const bus = await connectBus(context, config, name, topics?.(config));
        const kv = await connectKv(context, config);
        const platform = connectPlatform(context, { bus, kv }, config, settings);
        const { activity } = platform;
        shareConditions(context, { state: kv.state, activity, instance: context.random.uuid() });
        const started = await start(context, { bus, kv, platform }, config);
        context.log.info({ port: started.port }, 'started');
        return started;
      },
    };
  });
