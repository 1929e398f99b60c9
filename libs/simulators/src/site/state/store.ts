import { existsSync, renameSync, rmSync } from 'node:fs';
import { fileJournal } from '../../journal/file-journal.ts';
import type { Journal } from '../../journal/journal.ts';
import { parseExact } from '../exact-json.ts';
import { createMemory, type Memory } from './memory.ts';
import { changesOf, type Change, type SiteState } from './state.ts';

/** The state of a site; with a file, what was applied survives a kill. */
export interface SiteStore extends Memory {
  /** Makes changes, all of them or, after a kill in between, none. */
  apply(...changes: readonly Change[]): void;
  /** Replaces the tables and settings that are given. */
  load(state: Partial<SiteState>): void;
  close(): void;
}

/** Changes in one line when there are many, as when a whole state is loaded. */
const perLine = 1_000;

const linesOf = (changes: readonly Change[]): string[] => {
  const lines: string[] = [];
  for (let from = 0; from < changes.length; from += perLine)
    lines.push(JSON.stringify(changes.slice(from, from + perLine)));
  return lines;
};

/** Begins a file anew with what the memory holds; the file is never seen half written. */
const compact = (path: string, memory: Memory): Journal => {
  const fresh = `${path}.new`;
  rmSync(fresh, { force: true });
  const journal = fileJournal(fresh);
  journal.append(linesOf(changesOf(memory.dump())));
  renameSync(fresh, path);
  return journal;
};

/**
 * Opens a store. A file that exists decides what is in it; else it begins with `start`. The file is a list of changes, one array a line,
 * of which a torn last one is dropped.
 */
export const openStore = (start: () => Partial<SiteState>, path?: string): SiteStore => {
  const { memory, change } = createMemory();
  if (path !== undefined && existsSync(path))
    fileJournal(path, (line) => (parseExact(line) as Change[]).forEach(change)).close();
  else changesOf(start()).forEach(change);
  const journal = path === undefined ? undefined : compact(path, memory);
  const write = (changes: readonly Change[]): void => {
    journal?.append(linesOf(changes));
    changes.forEach(change);
  };
  return Object.assign(memory, {
    apply: (...changes: readonly Change[]) => write(changes),
    load: (state: Partial<SiteState>) => write(changesOf(state)),
    close: () => journal?.close(),
  });
};
