import type { Subject } from '../port.ts';

/** Most ids that one call carries (site contract, 7). */
export const maxIdsPerCall = 100;

/** A uuid in the one spelling that comparisons use: no dashes, lower case. */
export const plainId = (id: string): string => id.replaceAll('-', '').toLowerCase();

/** The same ids in lists that one call can carry. */
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

/** The subject of the same employee: of several the marked one, then the active one, then the lowest id (site contract, 6). */
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
