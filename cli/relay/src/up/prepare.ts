import { resolve } from 'node:path';
import type { RelayError } from '@ranger-relay/errors';
import {
  addProblems,
  type EnvProblem,
  exceptAssumed,
  type HeldPorts,
  holdPorts,
  type ListenOptions,
  refuseEnv,
} from '@ranger-relay/runtime';
import { storeProblems } from '@ranger-relay/service';
import type { Shell } from '@ranger-relay/terminal';
import {
  type DataDir,
  lossOf,
  openDataDir,
  type PlatformKind,
  readMarker,
  refuseOtherKind,
  runningOn,
} from '../data-dir/index.ts';
import { isSimulated, platformKind, readUpConfig, runsActions, type UpConfig } from './config.ts';
import { foldNeighbour, portOf } from './neighbour.ts';
import { startFailure } from './volume.ts';

/** What a person has allowed about stores that were lost or damaged. */
export interface UpOptions {
  readonly acceptEmptyBus: boolean;
  readonly salvageBus: boolean;
}

/** Dependencies of the first half of a start. */
export type PrepareDependencies = Pick<Shell, 'env' | 'clock' | 'random'>;

/** The first half of a start, done: nothing was written yet, and nothing runs. */
export interface Prepared {
  readonly config: UpConfig;
  readonly dir: DataDir;
  readonly ports: HeldPorts;
}

/** Where services of the process listen; those with actions only when they run. */
export const portsOf = (config: UpConfig): readonly ListenOptions[] => {
  const { HOST: host, STATUS_PORT, INGESTER_PORT, PUSHER_PORT, RUNNER_PORT, FORWARDER_PORT } = config;
  const actions = isSimulated(config) || runsActions(config) ? { PUSHER_PORT, RUNNER_PORT } : {};
  return [
    // The page is only for this machine.
    { host: '127.0.0.1', port: STATUS_PORT, portVariable: 'STATUS_PORT' },
    ...Object.entries({ INGESTER_PORT, ...actions, FORWARDER_PORT }).map(([portVariable, port]) => ({
      host,
      port,
      portVariable,
    })),
  ];
};

/** A line for what is wrong with the directory, beside other lines. */
const lineOf = ({ message }: RelayError): EnvProblem => ({
  variable: 'DATA_DIR',
  problem: message.startsWith('DATA_DIR ') ? message.slice('DATA_DIR '.length) : `cannot be used: ${message}`,
});

/** What is known of the directory: open, or wrong; neither beside its owner. */
interface Place {
  readonly dir?: DataDir;
  readonly error?: RelayError;
}

/** Opens the directory, unless it belongs to another platform or has lost its bus. */
const openPlace = async (
  config: UpConfig,
  parts: PrepareDependencies,
  options: UpOptions,
  kind: PlatformKind | null,
) => {
  const dir = await openDataDir(config.DATA_DIR, parts);
  try {
    if (kind) refuseOtherKind(dir.path, dir.marker(), kind);
    const loss = config.KAFKA_BROKERS || options.acceptEmptyBus ? undefined : await lossOf(dir);
    if (loss) throw loss;
    return dir;
  } catch (error) {
    await dir.discard();
    throw error;
  }
};

/** Refuses a directory of another platform, which another process has open. */
const examine = async ({ DATA_DIR }: UpConfig, kind: PlatformKind | null): Promise<void> => {
  const marker = await readMarker(resolve(DATA_DIR));
  if (marker && kind) refuseOtherKind(resolve(DATA_DIR), marker, kind);
};

const placeOf = async (open: () => Promise<DataDir | void>, dataDir: string): Promise<Place> => {
  try {
    const dir = await open();
    return dir ? { dir } : {};
  } catch (thrown) {
    const error = await startFailure(thrown, dataDir);
    if (error.code === 'internal') throw thrown;
    return { error };
  }
};

interface BeginOptions extends UpOptions {
  /** Whether the `up` that already works on the directory is no obstacle. */
  readonly beside: boolean;
  /** Variables that count as set, with what they name: another machine has it. */
  readonly assumed: readonly string[];
}

/** Does all of the first half, and refuses everything that is wrong at once: variables, files that they name, the directory, ports. */
const begin = async (parts: PrepareDependencies, options: BeginOptions) => {
  const { beside, assumed } = options;
  const { env: config, problems: first } = readUpConfig(parts.env);
  const known = exceptAssumed(addProblems(first, await storeProblems(config)), assumed);
  const isSkipped = (name: string): boolean =>
    assumed.includes(name) || known.some(({ variable }) => variable === name);
  const kind = known.some(({ variable }) => variable.startsWith('PLATFORM_')) ? null : platformKind(config);
  const running = isSkipped('DATA_DIR') ? undefined : await runningOn(config.DATA_DIR);
  const { dir, error }: Place = isSkipped('DATA_DIR')
    ? {}
    : await placeOf(
        () => (beside && running ? examine(config, kind) : openPlace(config, parts, options, kind)),
        config.DATA_DIR,
      );
  // A second `up` is told of the first, not of each of its ports.
  const taken = new Set(Object.values(running?.owner?.addresses ?? {}).map(portOf));
  const wanted = portsOf(config).filter(
    ({ port, portVariable }) => !isSkipped(portVariable) && (port === 0 || !taken.has(port)),
  );
  const ports = await holdPorts(wanted);
  const problems = addProblems(known, await foldNeighbour(wanted, ports.problems));
  if (problems.length > 0 || error) {
    await ports.release();
    await dir?.discard();
    if (problems.length === 0 && error) throw error;
    refuseEnv([...problems, ...(error ? [lineOf(error)] : [])]);
  }
  return { config, dir, ports, running };
};

/**
 * The first half of a start: reads variables and files, locks the directory, and takes the ports. Nothing is written to the directory.
 * @throws RelayError `config_invalid` with a line for everything that is wrong; `data_dir_in_use`, `data_dir_unusable`, `store_missing`,
 *   `store_damaged` where only the directory is
 */
export const prepareUp = async (parts: PrepareDependencies, options: UpOptions): Promise<Prepared> => {
  const { config, dir, ports } = await begin(parts, { ...options, beside: false, assumed: [] });
  return { config, dir: dir as DataDir, ports };
};

/** What a check found. */
export interface Checked {
  readonly config: UpConfig;
  readonly dataDir: string;
  /** Nothing was ever stored there. */
  readonly isNew: boolean;
  /** Number of the process that works on the directory now. */
  readonly pid: number | undefined;
}

/**
 * Does the first half of a start, and takes it back. Beside the `up` of the directory, its lock and its ports count as free.
 * @param assumed variables that count as set; nothing about them is wrong
 * @throws as `prepareUp`
 */
export const checkUp = async (
  parts: PrepareDependencies,
  options: UpOptions,
  assumed: readonly string[] = [],
): Promise<Checked> => {
  const { config, dir, ports, running } = await begin(parts, { ...options, beside: true, assumed });
  const isNew = dir?.marker().platform === null && dir.marker().bus_since === null;
  await ports.release();
  await dir?.discard();
  return { config, dataDir: resolve(config.DATA_DIR), isNew, pid: running?.owner?.pid };
};
