import type { Group, Token } from './state/records.ts';
import type { SiteStore } from './state/store.ts';

/** Groups directly under one; null: the uppermost. */
export const groupsUnder = (store: SiteStore, parent: string | null): Group[] =>
  [...store.groups.values()].filter((group) => group.parent === parent);

const withSubgroups = (store: SiteStore, ids: readonly string[]): Set<string> => {
  const seen = new Set<string>();
  const visit = (id: string): void => {
    if (seen.has(id)) return;
    seen.add(id);
    for (const child of groupsUnder(store, id)) visit(child.id);
  };
  ids.forEach(visit);
  return seen;
};

/** Ids of the groups that a token may view, with their subgroups; a superuser views all (site contract, section 6). */
export const visibleGroups = (store: SiteStore, token: Token): ReadonlySet<string> =>
  token.is_superuser ? new Set(store.groups.keys()) : withSubgroups(store, token.groups);

/**
 * Ids of the subjects that a token may view. For others than superusers they come by group, so that one in several groups comes several
 * times.
 */
export const visibleSubjects = (store: SiteStore, token: Token): string[] =>
  token.is_superuser
    ? [...store.subjects.keys()]
    : [...visibleGroups(store, token)].flatMap((group) => Array.from(store.members(group)));

/** Whether a token may view one subject. */
export const seesSubject = (store: SiteStore, token: Token, id: string): boolean =>
  token.is_superuser || [...visibleGroups(store, token)].some((group) => store.members(group).has(id));
