import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '@ranger-relay/runtime';
import { lookAt, setAside, syncDirectory } from './files.ts';

/** Copies what is readable of a damaged bus into a new file, closed and on disk when it resolves. */
export type Salvage = (
  from: string,
  to: string,
) => Promise<{ readonly records: number; readonly lost: readonly unknown[] }>;

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

/**
 * Replaces a damaged bus by what can be read of it and keeps the damaged one beside. Killed at any moment, it leaves the
 * damaged file in its place, or a complete new one that `finishSalvage` puts there. Returns what a person should be told.
 */
export const salvageInPlace = async (busPath: string, clock: Clock, salvage: Salvage): Promise<string> => {
  const making = `${busPath}.salvaging`;
  await removeAll(making);
  await removeAll(readyOf(busPath));
  const { records, lost } = await salvage(busPath, making);
  await rename(making, readyOf(busPath));
  await syncDirectory(dirname(busPath));
  const aside = await putInPlace(busPath, clock);
  return `${busPath} was damaged: ${records} records were salvaged, ${lost.length} unreadable ranges are lost. The damaged file is kept as ${aside}.`;
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
