import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { salvageBus, type Salvage } from '@ranger-relay/bus';
import type { Clock } from '@ranger-relay/runtime';
import { lookAt, setAside, syncDirectory } from './files.ts';

const readyOf = (busPath: string): string => `${busPath}.salvaged`;

/** Removes a file and its journals. */
const removeAll = async (path: string): Promise<void> => {
  for (const suffix of ['', '-wal', '-shm']) await rm(`${path}${suffix}`, { force: true });
};

/** Puts what is left of the old file beside and the complete new one in its place; returns the old one's new name. */
const putInPlace = async (busPath: string, clock: Clock): Promise<string> => {
  const aside = await setAside(busPath, clock);
  await rename(readyOf(busPath), busPath);
  await syncDirectory(dirname(busPath));
  return aside;
};

const toldOf = ({ records, lost, incomplete }: Salvage): string => {
  if (lost.length === 0 && incomplete.length === 0) return `all ${records} records that it shows were salvaged`;
  const ranges = lost.slice(0, 5).map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`));
  const more = lost.length > ranges.length ? ` and ${lost.length - ranges.length} more places` : '';
  const places = ranges.length > 0 ? `, not readable are the offsets ${ranges.join(', ')}${more}` : '';
  const parts =
    incomplete.length > 0 ? `, and parts of its ${incomplete.join(' and ')}; what was sent may be sent again` : '';
  return `${records} records were salvaged${places}${parts}`;
};

/**
 * Replaces a damaged bus by what can be read of it and keeps the damaged one beside. Killed at any moment, it leaves the
 * damaged file in its place, or a complete new one that `finishSalvage` puts there. Returns what a person should be told.
 * @throws RelayError `store_damaged` when nothing of it can be read, `store_full`
 */
export const salvageInPlace = async (busPath: string, clock: Clock): Promise<string> => {
  const making = `${busPath}.salvaging`;
  await removeAll(making);
  await removeAll(readyOf(busPath));
  const salvaged = await salvageBus(busPath, making, clock);
  await rename(making, readyOf(busPath));
  await syncDirectory(dirname(busPath));
  const aside = await putInPlace(busPath, clock);
  return `${busPath} was damaged: ${toldOf(salvaged)}. The damaged file is kept as ${aside}.`;
};

/** Ends a salvage that was cut off between moving the damaged file away and putting the new one in its place. */
export const finishSalvage = async (busPath: string, clock: Clock): Promise<readonly string[]> => {
  if ((await lookAt(busPath)) || !(await lookAt(readyOf(busPath)))) return [];
  await putInPlace(busPath, clock);
  return [`A salvage of ${busPath} that was cut off is now complete.`];
};

/** A salvaged copy beside a bus that opens is of no use any more, and must never replace a later bus. */
export const retireSalvage = async (busPath: string, clock: Clock): Promise<readonly string[]> => {
  const ready = readyOf(busPath);
  if (!(await lookAt(ready))) return [];
  const aside = await setAside(ready, clock);
  return [`${ready} was not needed, since ${busPath} opens; it is kept as ${aside}.`];
};
