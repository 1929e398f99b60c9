import type { Subject } from '../port.ts';

/** Maximum ids in one call (site contract, 7). */
export const maxIdsPerCall = 100;

/** Normalises a uuid for comparisons: no dashes, lower case. */
export const plainId = (id: string): string => id.replaceAll('-', '').toLowerCase();

/** Splits ids into lists that fit into one call. */
export const chunksOf = (ids: readonly string[]): string[][] => {
  const chunks: string[][] = [];
  for (let at = 0; at < ids.length; at += maxIdsPerCall) chunks.push(ids.slice(at, at + maxIdsPerCall));
  return chunks;
};

const memberOf = ({ additional }: Pick<Subject, 'additional'>): string | undefined => {
  const member = additional['ext_member_id'];
  return typeof member === 'string' && member !== '' ? plainId(member) : undefined;
};

const rank = ({ additional, is_active }: Subject): number =>
  (additional['ext_managed_by'] === undefined ? 2 : 0) + (is_active ? 0 : 1);

/** The subject of the same employee: the marked one first, then an active one, then the lowest id (site contract, 6). */
export const sameMember = (
  subjects: readonly Subject[],
  additional: Readonly<Record<string, unknown>>,
): Subject | undefined => {
  const member = memberOf({ additional });
  if (member === undefined) return undefined;
  return subjects
    .filter((subject) => memberOf(subject) === member)
    .sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1))[0];
};
