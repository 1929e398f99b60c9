import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type BusTopic, type EmbeddedBus, openEmbeddedBus, type Salvage, salvageBus } from '@ranger-relay/bus';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { Clock, Context } from '@ranger-relay/runtime';
import { statOf, setAside, syncDirectory } from './files.ts';
import type { DataDir } from './open.ts';

const readyOf = (busPath: string): string => `${busPath}.salvaged`;

/** Removes a file and its journals. */
const removeAll = async (path: string): Promise<void> => {
  for (const suffix of ['', '-wal', '-shm']) await rm(`${path}${suffix}`, { force: true });
};

/** Moves the old file aside and the complete new one into its place; returns the old file's new name. */
const putInPlace = async (busPath: string, clock: Clock): Promise<string> => {
  const aside = await setAside(busPath, clock);
  await rename(readyOf(busPath), busPath);
  await syncDirectory(dirname(busPath));
  return aside;
};

const toldOf = ({ records, lost, incomplete }: Salvage): string => {
  if (lost.length === 0 && incomplete.length === 0) return `all ${records} readable records were salvaged`;
  const ranges = lost.slice(0, 5).map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`));
  const more = lost.length > ranges.length ? ` and ${lost.length - ranges.length} more places` : '';
  const places = ranges.length > 0 ? `, the offsets ${ranges.join(', ')}${more} are unreadable` : '';
  const parts =
    incomplete.length > 0 ? `, and parts of its ${incomplete.join(' and ')}; sent records may be sent again` : '';
  return `${records} records were salvaged${places}${parts}`;
};

/**
 * Replaces a damaged bus by its readable records and keeps the damaged file beside it. Killed at any moment, it leaves the damaged file in
 * its place, or a complete new one that `finishSalvage` puts there. Returns a warning for the user.
 * @throws RelayError `store_damaged` when nothing of it is readable, `store_full`
 */
const salvageInPlace = async (
  busPath: string,
  clock: Clock,
): Promise<{ readonly told: string; readonly isWhole: boolean }> => {
  const making = `${busPath}.salvaging`;
  await removeAll(making);
  await removeAll(readyOf(busPath));
  const salvaged = await salvageBus(busPath, making, clock);
  await rename(making, readyOf(busPath));
  await syncDirectory(dirname(busPath));
  const aside = await putInPlace(busPath, clock);
  return {
    told: `${busPath} was damaged: ${toldOf(salvaged)}. The damaged file is kept as ${aside}.`,
    isWhole: salvaged.lost.length === 0 && salvaged.incomplete.length === 0,
  };
};

/** Completes a salvage that was interrupted between moving the damaged file and putting the new one in its place. */
const finishSalvage = async (busPath: string, clock: Clock): Promise<readonly string[]> => {
  if ((await statOf(busPath)) || !(await statOf(readyOf(busPath)))) return [];
  await putInPlace(busPath, clock);
  return [`An interrupted salvage of ${busPath} is now complete.`];
};

/** A salvaged copy beside a working bus is useless, and must never replace a later bus. */
const retireSalvage = async (busPath: string, clock: Clock): Promise<readonly string[]> => {
  const ready = readyOf(busPath);
  if (!(await statOf(ready))) return [];
  const aside = await setAside(ready, clock);
  return [`${ready} was not needed, because ${busPath} opens; it is kept as ${aside}.`];
};

/** Options that the user has set, and dependencies of the bus. */
export interface OpenBusOptions {
  /** A bus that was lost may be replaced by an empty one. */
  readonly acceptEmptyBus: boolean;
  /** A damaged bus may be replaced by its readable records. */
  readonly salvageBus: boolean;
  readonly topics: readonly BusTopic[];
  readonly context: Pick<Context, 'clock' | 'random' | 'log' | 'metrics' | 'conditions'>;
}

/** An open store, with warnings for the user. */
export interface Opened<Store> {
  readonly store: Store;
  readonly warnings: readonly string[];
}

const restore = 'restore it from a backup, or';
const acceptRemedy = `${restore} continue without its records: \`ranger-relay up --accept-empty-bus\``;
const salvageRemedy = `${restore} keep its readable records: \`ranger-relay up --salvage-bus\``;
const unreadableRemedy = `${restore} continue without its records: \`ranger-relay up --salvage-bus --accept-empty-bus\``;

/** Why a directory has lost its bus; undefined when it has not, or never had one. SQLite treats a missing or empty file as a new bus. */
export const lossOf = async (dir: DataDir): Promise<RelayError | undefined> => {
  const path = dir.paths.bus;
  const since = dir.marker().bus_since;
  const file = await statOf(path);
  if (since === null || (file && file.size > 0)) return undefined;
  if (file) return new RelayError('store_damaged', { details: { path, problem: 'it is empty', remedy: acceptRemedy } });
  // The next opening completes a salvage that was interrupted.
  if (await statOf(readyOf(path))) return undefined;
  return new RelayError('store_missing', { details: { path, since, remedy: acceptRemedy } });
};

/** Sets what is left of the file aside, and forgets since when there is a bus: the next one is the first. */
const startEmpty = async (dir: DataDir, clock: Clock): Promise<string> => {
  const aside = await setAside(dir.paths.bus, clock);
  await dir.record({ bus_since: null });
  return aside;
};

const acceptLoss = async (dir: DataDir, { acceptEmptyBus, context }: OpenBusOptions): Promise<readonly string[]> => {
  const loss = await lossOf(dir);
  if (!loss) return [];
  if (!acceptEmptyBus) throw loss;
  const path = dir.paths.bus;
  await startEmpty(dir, context.clock);
  context.conditions.set('bus_lost', '', { path, is: 'lost and started empty' });
  return [`${path} was lost and starts empty; its unsent records are lost.`];
};

/** Prepares the directory for a bus that opens, as far as the options allow; returns warnings for the user. */
const repair = async (dir: DataDir, damage: RelayError, options: OpenBusOptions): Promise<string> => {
  const path = dir.paths.bus;
  const { clock, conditions } = options.context;
  if (!options.salvageBus) throw damage;
  try {
    const { told, isWhole } = await salvageInPlace(path, clock);
    if (!isWhole) conditions.set('bus_lost', '', { path, is: 'damaged and salvaged in part' });
    return told;
  } catch (error) {
    if (!isRelayError(error, 'store_damaged')) throw error;
    if (options.acceptEmptyBus) {
      const aside = await startEmpty(dir, clock);
      conditions.set('bus_lost', '', { path, is: 'damaged and started empty' });
      return `${path} was damaged and unreadable; it is kept as ${aside}, and the bus starts empty.`;
    }
    const problem = `nothing of it is readable: ${String(damage.details['problem'])}`;
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
    const warning = await repair(dir, error, options);
    return { store: await open(), warnings: [warning] };
  }
};

/**
 * Opens the bus of a directory. It is never silently empty: a file that was lost or is damaged is an error with its remedy, unless the
 * options allow a remedy. From the first opening on, the marker records that the directory has a bus.
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
    if (dir.marker().bus_since === null) await dir.record({ bus_since: new Date(clock.now()).toISOString() });
    const retired = await retireSalvage(path, clock);
    return { store, warnings: [...finished, ...accepted, ...warnings, ...retired] };
  } catch (error) {
    await store.close();
    throw error;
  }
};
