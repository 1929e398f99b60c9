import { hostname } from 'node:os';
import type { TopicSpec } from '@ranger-relay/contracts';
import { keepEpoch, type KeyValue } from '@ranger-relay/kv';
import { type Platform, platformAddressProblems, platformProblems, platformSettings } from '@ranger-relay/platform';
import {
  addProblems,
  type Call,
  type Context,
  type Env,
  type EnvProblem,
  type EnvTable,
  exceptAssumed,
  type HeldPorts,
  holdPorts,
  type ListenConfig,
  type ListenOptions,
  misspeltVariables,
  readEnv,
  refuseEnv,
  runProcess,
  type TracingConfig,
} from '@ranger-relay/runtime';
import type { WatchedBus } from './bus-conditions.ts';
import { type ClockGuard, createClockGuard } from './clock-guard.ts';
import { aloneEnv, type ConnectEnv, connectPlatform } from './platform.ts';
import { shareConditions } from './share-conditions.ts';
import { connectBus, connectKv, storeProblems, withStore } from './stores.ts';

/** The connections that a service receives at its start. */
export interface Connections {
  readonly bus: WatchedBus;
  readonly kv: KeyValue;
  readonly platform: Platform;
  readonly clockGuard: ClockGuard;
}

/** A service that can run alone. */
export interface ServiceSpec<Table extends EnvTable> {
  readonly name: string;
  /** Its own variables; `runService` adds those of bus and store. */
  readonly env: Table;
  /** Rules between its variables. */
  readonly rules?: (config: Env<Table>) => readonly EnvProblem[];
  /** Topics of events that it takes; of a wrong clock it takes none. */
  readonly takes?: readonly string[];
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

/** What a service needs before it can start. */
type Prepared<Config> = { readonly config: Config; readonly ports: HeldPorts };

type Spec<Table extends EnvTable> = Pick<ServiceSpec<Table>, 'env' | 'rules'>;
type Config<Table extends EnvTable> = Env<Table> & Alone;

const readServiceEnv = <Table extends EnvTable>({ env, rules = () => [] }: Spec<Table>, source: NodeJS.ProcessEnv) => {
  const table = tableOf(env);
  const { env: config, problems } = readEnv(table, source, (parsed) => [
    ...rules(parsed as Env<Table>),
    ...platformProblems(parsed as unknown as Alone),
    ...platformAddressProblems(parsed as unknown as Alone),
    ...misspeltVariables(table, source),
  ]);
  return { config: config as unknown as Config<Table>, problems };
};

/**
 * Parses the variables of a service that runs alone, and checks all rules between them.
 * @throws RelayError `config_invalid` with a line for each variable that is wrong, missing or misspelt
 */
export const parseServiceEnv = <Table extends EnvTable>(
  spec: Spec<Table>,
  source: NodeJS.ProcessEnv,
): Config<Table> => {
  const { config, problems } = readServiceEnv(spec, source);
  refuseEnv(problems);
  return config;
};

const portsOf = ({ HOST: host, PORT, HEALTH_PORT }: ListenConfig): readonly ListenOptions[] =>
  Object.entries({ PORT, HEALTH_PORT }).flatMap(([portVariable, port]) =>
    port === undefined ? [] : [{ host, port, portVariable }],
  );

/**
 * The first half of a start, and all of a check: reads variables and the files that they name, and takes the ports.
 * @param more problems that a check adds; variables that it counts as set are named in `assumed`
 * @throws RelayError `config_invalid` with a line for everything that would stop the start; no port is held then
 */
export const prepareService = async <Table extends EnvTable>(
  spec: Spec<Table>,
  source: NodeJS.ProcessEnv,
  { assumed = [], more = [] }: { readonly assumed?: readonly string[]; readonly more?: readonly EnvProblem[] } = {},
): Promise<Prepared<Config<Table>>> => {
  const { config, problems: first } = readServiceEnv(spec, source);
  const known = addProblems(addProblems(first, more), await storeProblems(withStore(config)));
  const listenConfig = config as unknown as ListenConfig;
  const ports = await holdPorts(
    portsOf(listenConfig).filter(
      ({ portVariable }) => !assumed.includes(portVariable) && !known.some(({ variable }) => variable === portVariable),
    ),
  );
  const problems = exceptAssumed(addProblems(known, ports.problems), assumed);
  if (problems.length > 0) await ports.release();
  refuseEnv(problems);
  return { config, ports };
};

const callOf = <Table extends EnvTable>({ argv }: NodeJS.Process, name: string, spec: Spec<Table>): Call => ({
  name,
  args: argv.slice(2),
  table: tableOf(spec.env),
  required: readServiceEnv(spec, {}).problems.map(({ variable }) => variable),
});

/**
 * Runs one service until it receives a signal or can no longer work. Resolves with the exit code: 0 after a signal, 1 when it could not start or
 * failed, 2 for an unknown argument.
 */
export const runService = async <Table extends EnvTable>(
  host: NodeJS.Process,
  { name, topics, takes, start, ...spec }: ServiceSpec<Table>,
): Promise<0 | 1 | 2> =>
  runProcess(host, callOf(host, name, spec), async () => {
    const { config, ports } = await prepareService(spec, host.env);
    return {
      service: name,
      host: hostname(),
      level: (config as { LOG_LEVEL?: string }).LOG_LEVEL ?? 'info',
      traces: config as Partial<TracingConfig>,
      graceMs: config.STOP_GRACE_S * 1_000,
      leaveMs,
      serve: ports.serve,
      async start(context) {
        context.lifecycle.onStop('ports', () => ports.release());
        const settings = platformSettings(config);
        const bus = await connectBus(context, config, name, topics?.(config));
        const kv = await connectKv(context, config);
        await keepEpoch(context, kv);
        const platform = connectPlatform(context, { bus, kv }, config, settings);
        await shareConditions(context, { kv, platform, instance: context.random.uuid() });
        const clockGuard = await createClockGuard(context, { bus, platform, topics: takes ?? [] });
        const started = await start(context, { bus, kv, platform, clockGuard }, config);
        context.log.info({ port: started.port }, 'started');
        return started;
      },
    };
  });
