import type { Subject } from '../port.ts';

/** Maximum ids in one call (site contract, 7). */
export const maxIdsPerCall = 100;

/** Splits ids into lists that fit into one call. */
export const chunksOf = (ids: readonly string[]): string[][] => {
  const chunks: string[][] = [];
  for (let at = 0; at < ids.length; at += maxIdsPerCall) chunks.push(ids.slice(at, at + maxIdsPerCall));
  return chunks;
};

const rank = ({ identity, is_active }: Subject): number =>
  (identity.isExact ? 0 : 4) + (identity.markedArea === undefined ? 2 : 0) + (is_active ? 0 : 1);

/**
 * Orders the subjects of one employee: the one that the import finds, then those that a run created, then active ones, then the lowest id.
 * All areas use the same order, so that they choose the same subject (contract of the exported bundle, 11).
 */
export const bySuitability = (a: Subject, b: Subject): number => rank(a) - rank(b) || (a.id < b.id ? -1 : 1);
