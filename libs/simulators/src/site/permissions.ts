import type { Group, Token } from './state/records.ts';
import type { SiteStore } from './state/store.ts';
import type { SiteSwitches } from './switches.ts';

/** Groups directly under one; null: the uppermost. */
export const groupsUnder = (store: SiteStore, parent: string | null): Group[] =>
  [...store.groups.values()].filter((group) => group.parent === parent);

/** Groups with all that are nested in them. */
export const withSubgroups = (store: SiteStore, ids: readonly string[]): Set<string> => {
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

/** Any one of these is enough; which they are may depend on the site. */
export type Needs = readonly string[] | ((switches: SiteSwitches) => readonly string[]);

const typePermissions = {
  view: ['activity.view_patroltype', 'activity.view_patrol'],
  change: ['activity.change_patroltype'],
};

/** Permissions of each action (site contract, section 8). */
export const permissions = {
  viewTypes: typePermissions.view,
  addType: ['activity.add_patroltype'],
  changeType: typePermissions.change,
  deleteType: ['activity.delete_patroltype'],
  viewPatrols: ['activity.view_patrol'],
  addPatrol: ['activity.add_patrol'],
  changePatrol: ['activity.change_patrol'],
  viewForm: ({ form_permission }) => (form_permission === 'own' ? ['activity.view_segmenttype'] : typePermissions.view),
  changeForm: ({ form_permission }) =>
    form_permission === 'own' ? ['activity.change_segmenttype'] : typePermissions.change,
  viewChoices: ['choices.view_choice'],
  addChoice: ['choices.add_choice'],
  changeChoice: ['choices.change_choice'],
  deleteChoice: ['choices.delete_choice'],
  viewSubjects: ['observations.view_subject'],
  addSubject: ['observations.add_subject'],
  changeSubject: ['observations.change_subject'],
  deleteSubject: ['observations.delete_subject'],
  changeGroup: ['observations.change_subjectgroup'],
  viewObservations: ['observations.view_observation'],
  addObservation: ['observations.add_observation'],
  viewEvents: ['activity.view_event'],
} as const satisfies Readonly<Record<string, Needs>>;

const actions = ['add', 'change', 'delete', 'view'];
/** The models whose permissions `user/me` shows. */
const shownModels = [
  'patrol',
  'patroltype',
  'segmenttype',
  'patrolconfiguration',
  'patrolconfigurationteam',
  'patrolsegmentmember',
  'eventrelatedsegments',
  'event',
];

/** Every permission that there is. */
export const allPermissions: readonly string[] = [
  ...new Set(Object.values<Needs>(permissions).flatMap((needs) => (typeof needs === 'function' ? [] : needs))),
  ...shownModels.flatMap((model) => actions.map((action) => `activity.${action}_${model}`)),
].filter((name, at, names) => names.indexOf(name) === at);

const has = (token: Token, permission: string): boolean =>
  (token.is_superuser || token.permissions.includes(permission)) && !token.revoked.includes(permission);

/** What may be done with the events of a category: by a permission of its own, or as with all events, unless it was taken away. */
export const allowsCategory = (token: Token, action: string, category: string): boolean =>
  has(token, `activity.${action}_${category}`) ||
  (has(token, `activity.${action}_event`) && !token.revoked.includes(`activity.${action}_${category}`));

/** Whether a token may relate events to segments of patrols. */
export const allowsRelating = (token: Token): boolean => has(token, 'activity.add_eventrelatedsegments');

/** Permissions of a token, by name. */
export const heldPermissions = (token: Token): readonly string[] =>
  allPermissions.filter((permission) => has(token, permission));

/** The actions of a token by model, without models of which it may do nothing, as `user/me` shows them. */
export const permissionsByModel = (store: SiteStore, token: Token): Readonly<Record<string, readonly string[]>> => {
  const held = shownModels.map((model): [string, string[]] => [
    model,
    actions.filter((action) => has(token, `activity.${action}_${model}`)),
  ]);
  for (const { value } of store.categories.values())
    held.push([value, actions.filter((action) => allowsCategory(token, action, value))]);
  return Object.fromEntries(held.filter(([, may]) => may.length > 0));
};

/** Whether a token may do what needs this. */
export const allows = (token: Token, needs: Needs, switches: SiteSwitches): boolean =>
  (typeof needs === 'function' ? needs(switches) : needs).some((permission) => has(token, permission));
