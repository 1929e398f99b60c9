import { z } from 'zod';
import { instant } from './position.ts';

/** The coverage of listings by name: null for a name that is covered now, else the watermark of the last listing that covered it. */
export const coverageSchema = z.record(z.string(), instant.nullable());

export type Coverage = Readonly<z.output<typeof coverageSchema>>;

/** The name that means all names. */
export const everything = '';

/** Maximum number of names; with more, new names are not detected. */
export const maxNames = 2_000;

/** The current coverage of listings, and the names that they did not cover before. */
export interface Followed {
  /** Undefined when there are too many names to compare. */
  readonly coverage: Coverage | undefined;
  /** New names, each with the watermark up to which it was covered before; undefined for a name that never was. */
  readonly joined: ReadonlyMap<string, number | undefined>;
}

/** The names that are covered now. */
export const present = (coverage: Coverage): Coverage =>
  Object.fromEntries(Object.entries(coverage).filter(([, at]) => at === null));

const nothingNew: Followed['joined'] = new Map();

const leftAt = (kept: Coverage, name: string): number | undefined => {
  const times = [kept[name], kept[everything]].filter((at) => typeof at === 'number');
  return times.length > 0 ? Math.max(...times) : undefined;
};

/** The most recently removed names, kept for their return. */
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
 * Compares the wanted names with the covered ones: a name that is added later has rows older than the watermark, which no listing returns.
 * @param kept undefined when nothing was recorded yet: all wanted names then count as covered
 * @param watermark up to where removed names were covered; undefined when that is not known
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
