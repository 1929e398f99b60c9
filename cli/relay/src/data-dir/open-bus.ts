import { dirname } from 'node:path';
import { openEmbeddedBus, type BusTopic, type EmbeddedBus } from '@ranger-relay/bus';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { Context } from '@ranger-relay/runtime';
import { lookAt, setAside, syncDirectory } from './files.ts';
import type { DataDir } from './open.ts';
import { finishSalvage, retireSalvage, salvageInPlace } from './salvage.ts';

/** What a person has allowed, and what the bus is made of. */
export interface OpenBusOptions {
  /** A bus that was lost may be replaced by an empty one. */
  readonly acceptEmptyBus: boolean;
  /** A damaged bus may be replaced by what can be read of it. */
  readonly salvageBus: boolean;
  readonly topics: readonly BusTopic[];
  readonly context: Pick<Context, 'clock' | 'random' | 'log' | 'metrics'>;
}

/** An open store and what a person should be told about it. */
export interface Opened<Store> {
  readonly store: Store;
  readonly warnings: readonly string[];
}

const restore = 'restore it from a backup, or';
const acceptRemedy = `${restore} go on without what it held: \`ranger-relay up --accept-empty-bus\``;
const salvageRemedy = `${restore} keep what can still be read of it: \`ranger-relay up --salvage-bus\``;
const unreadableRemedy = `${restore} go on without what it held: \`ranger-relay up --salvage-bus --accept-empty-bus\``;

/** SQLite would take an absent or empty file for a new bus, so both are looked for before. */
const acceptLoss = async (dir: DataDir, { acceptEmptyBus, context }: OpenBusOptions): Promise<readonly string[]> => {
  const path = dir.paths.bus;
  const since = dir.marker().bus_since;
  const file = await lookAt(path);
  if (since === null || (file && file.size > 0)) return [];
  if (!acceptEmptyBus) {
    if (!file) throw new RelayError('store_missing', { details: { path, since, remedy: acceptRemedy } });
    throw new RelayError('store_damaged', { details: { path, problem: 'it is empty', remedy: acceptRemedy } });
  }
  await setAside(path, context.clock);
  return [`${path} was lost and starts empty; what it held and had not been sent by then is gone.`];
};

/** Makes room for a bus that opens, as far as the options go; returns what a person should be told. */
const mend = async (path: string, damage: RelayError, options: OpenBusOptions): Promise<string> => {
  const { clock } = options.context;
  if (!options.salvageBus) throw damage;
  try {
    return await salvageInPlace(path, clock);
  } catch (error) {
    if (!isRelayError(error, 'store_damaged')) throw error;
    if (options.acceptEmptyBus) {
      const aside = await setAside(path, clock);
      return `${path} was damaged and nothing of it readable; it is kept as ${aside}, and the bus starts empty.`;
    }
    const problem = `nothing of it can be read: ${String(damage.details['problem'])}`;
    throw new RelayError('store_damaged', { details: { path, problem, remedy: unreadableRemedy }, cause: error });
  }
};

const openWith = async (dir: DataDir, options: OpenBusOptions): Promise<Opened<EmbeddedBus>> => {
  const { topics, context } = options;
  const { clock, random, log, metrics } = context;
  const path = dir.paths.bus;
  const open = (): Promise<EmbeddedBus> =>
    openEmbeddedBus({ path, topics, clock, random, log, metrics, remedy: salvageRemedy });
  try {
    return { store: await open(), warnings: [] };
  } catch (error) {
    if (!isRelayError(error, 'store_damaged')) throw error;
    const warning = await mend(path, error, options);
    return { store: await open(), warnings: [warning] };
  }
};

/**
 * Opens the bus of a directory. It is never silently empty: a file that was lost or is damaged is an error with its remedy, unless the
 * options say what may be done. From the first opening on the directory remembers that it has a bus.
 * @throws RelayError `store_missing`, `store_damaged`, `store_full`, `data_dir_unusable`
 */
export const openBus = async (dir: DataDir, options: OpenBusOptions): Promise<Opened<EmbeddedBus>> => {
  const path = dir.paths.bus;
  const { clock } = options.context;
  const finished = await finishSalvage(path, clock);
  const accepted = await acceptLoss(dir, options);
  const { store, warnings } = await openWith(dir, options);
  try {
    // The file's name is durable before the marker claims that it exists.
    await syncDirectory(dirname(path));
    if (dir.marker().bus_since === null || accepted.length > 0)
      await dir.record({ bus_since: new Date(clock.now()).toISOString() });
    const retired = await retireSalvage(path, clock);
    return { store, warnings: [...finished, ...accepted, ...warnings, ...retired] };
  } catch (error) {
    await store.close();
    throw error;
  }
};
