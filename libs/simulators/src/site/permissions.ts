import type { Token } from './state/records.ts';
import type { SiteSwitches } from './switches.ts';

/** Any one of these is enough; which they are may depend on the site. */
export type Needs = readonly string[] | ((switches: SiteSwitches) => readonly string[]);

const typePermissions = {
  view: ['activity.view_patroltype', 'activity.view_patrol'],
  change: ['activity.change_patroltype'],
};

/** What each action needs (site contract, section 8). */
export const permissions = {
  viewTypes: typePermissions.view,
  addType: ['activity.add_patroltype'],
  changeType: typePermissions.change,
  deleteType: ['activity.delete_patroltype'],
  viewPatrols: ['activity.view_patrol'],
  viewConfig: ['activity.view_patrolconfiguration'],
  viewForm: ({ form_permission }) =>
    form_permission === 'own' ? ['activity.view_patrolsegmenttype'] : typePermissions.view,
  changeForm: ({ form_permission }) =>
    form_permission === 'own' ? ['activity.change_patrolsegmenttype'] : typePermissions.change,
  viewChoices: ['choices.view_choice'],
  addChoice: ['choices.add_choice'],
  changeChoice: ['choices.change_choice'],
  deleteChoice: ['choices.delete_choice'],
  viewSubjects: ['observations.view_subject'],
  addSubject: ['observations.add_subject'],
  changeSubject: ['observations.change_subject'],
  deleteSubject: ['observations.delete_subject'],
  changeGroup: ['observations.change_subjectgroup'],
} as const satisfies Readonly<Record<string, Needs>>;

/** Every permission that there is. */
export const allPermissions: readonly string[] = [
  ...new Set(Object.values<Needs>(permissions).flatMap((needs) => (typeof needs === 'function' ? [] : needs))),
  'activity.view_patrolsegmenttype',
  'activity.change_patrolsegmenttype',
];

const has = (token: Token, permission: string): boolean =>
  (token.is_superuser || token.permissions.includes(permission)) && !token.revoked.includes(permission);

/** What a token is allowed, by name. */
export const heldPermissions = (token: Token): readonly string[] =>
  allPermissions.filter((permission) => has(token, permission));

/** Whether a token may do what needs this. */
export const allows = (token: Token, needs: Needs, switches: SiteSwitches): boolean =>
  (typeof needs === 'function' ? needs(switches) : needs).some((permission) => has(token, permission));
