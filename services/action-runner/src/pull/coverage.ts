import { z } from 'zod';
import { instant } from './position.ts';

/** What listings take in, by name: null while they do, else the watermark of the last one that did. */
export const coverageSchema = z.record(z.string(), instant.nullable());

export type Coverage = Readonly<z.output<typeof coverageSchema>>;

/** The name that stands for all names. */
export const everything = '';

/** Beyond so many names it is not known which of them are new. */
export const maxNames = 2_000;

/** What listings take in from now on, and what they did not before. */
export interface Followed {
  /** Undefined when there are too many names to tell. */
  readonly coverage: Coverage | undefined;
  /** New names, each with the watermark up to which it was taken in once; undefined for one that never was. */
  readonly joined: ReadonlyMap<string, number | undefined>;
}

/** The names that are taken in now. */
export const present = (coverage: Coverage): Coverage =>
  Object.fromEntries(Object.entries(coverage).filter(([, at]) => at === null));

const nothingNew: Followed['joined'] = new Map();

const leftAt = (kept: Coverage, name: string): number | undefined => {
  const times = [kept[name], kept[everything]].filter((at) => typeof at === 'number');
  return times.length > 0 ? Math.max(...times) : undefined;
};

/** Names that are gone, the newest of them, for when they return. */
const leaving = (kept: Coverage, wanted: readonly string[], watermark: number | undefined) => {
  const staying = new Set(wanted);
  if (staying.has(everything)) return [];
  const gone = Object.entries(kept).flatMap(([name, at]) => {
    const until = at ?? watermark;
    return staying.has(name) || until === undefined ? [] : [[name, until] as const];
  });
  return gone.toSorted(([, a], [, b]) => b - a).slice(0, maxNames);
};

/**
 * Compares what is to be listed with what was: a name that comes later has rows older than the watermark, which no listing shows.
 * @param kept undefined when nothing was noted yet: all that is wanted then counts as taken in
 * @param watermark up to where names that are gone were taken in; undefined when that is not known
 */
export const followNames = (
  kept: Coverage | undefined,
  wanted: readonly string[],
  watermark: number | undefined,
): Followed => {
  if (wanted.length > maxNames) return { coverage: undefined, joined: nothingNew };
  const named = wanted.map((name) => [name, null] as const);
  if (!kept) return { coverage: Object.fromEntries(named), joined: nothingNew };
  const isNew = (name: string): boolean => kept[name] !== null && kept[everything] !== null;
  return {
    coverage: Object.fromEntries([...leaving(kept, wanted, watermark), ...named]),
    joined: new Map(wanted.filter(isNew).map((name) => [name, leftAt(kept, name)])),
  };
};
