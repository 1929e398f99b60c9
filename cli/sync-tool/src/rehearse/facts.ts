import { isRelayError } from '@ranger-relay/errors';
import type { Choice, EventType, FormDocument, PatrolType, Site, SiteUser, Subject, Team } from '@ranger-relay/site';
import { attempt, type Read, type SiteState } from '../plan/state.ts';
import { readChoices } from '../resources/choice.ts';

/** The state of a site, as far as the import of patrols needs it. Null: the site does not show it. */
export interface SiteFacts {
  readonly user: Read<SiteUser>;
  readonly types: Read<readonly PatrolType[]>;
  readonly form: Read<FormDocument | null>;
  /** By choice field. */
  readonly choices: Read<ReadonlyMap<string, readonly Choice[]>>;
  readonly subjects: Read<readonly Subject[]>;
  /** Ids of subjects in the member groups, active or not. */
  readonly grouped: Read<ReadonlySet<string> | null>;
  /** Ids of the subjects that a patrol may name. */
  readonly resolved: Read<ReadonlySet<string> | null>;
  readonly teams: Read<readonly Team[] | null>;
  readonly eventTypes: Read<readonly EventType[]>;
}

/** The facts of a site. With the feature flag off nothing else is read: the import could not begin. */
export interface Facts {
  readonly patrolSchemas: Read<boolean>;
  readonly site: SiteFacts | null;
}

/** The value of a fact. @throws RelayError why it could not be read */
export const valueOf = <T>(fact: Read<T>): T => {
  if ('failure' in fact) throw fact.failure;
  return fact.value;
};

const readGrouped = async (site: Site): Promise<ReadonlySet<string> | null> => {
  const groups = await site.memberGroups();
  if (groups === null) return null;
  const ids = new Set<string>();
  for (const group of groups) for (const { id } of await site.subjectsOfGroup(group.id)) ids.add(id);
  return ids;
};

/** Ids of the subjects that a patrol may name; null when the site does not show them. */
const readResolved = async (site: Site): Promise<ReadonlySet<string> | null> => {
  const ids = await site.patrolMembers();
  return ids && new Set(ids);
};

/**
 * Reads what the import of patrols needs, one list after another; what cannot be read is a fact too.
 * @throws RelayError those that end every call, as `site_unauthorized`; `site_unavailable` and `site_untrusted` of the first request
 */
export const readFacts = async (site: Site, choiceFields: readonly string[]): Promise<Facts> => {
  const user = await attempt(() => site.probe());
  // The first request: of a site that does not answer, nothing is known.
  if ('failure' in user && isRelayError(user.failure, 'site_unavailable', 'site_untrusted')) throw user.failure;
  const patrolSchemas = await attempt(() => site.patrolSchemas());
  if ('value' in patrolSchemas && !patrolSchemas.value) return { patrolSchemas, site: null };
  return {
    patrolSchemas,
    site: {
      user,
      types: await attempt(() => site.patrolTypes()),
      form: await attempt(() => site.form()),
      choices: await attempt(() => readChoices(site, choiceFields)),
      subjects: await attempt(() => site.subjects()),
      grouped: await attempt(() => readGrouped(site)),
      resolved: await attempt(() => readResolved(site)),
      teams: await attempt(() => site.teams()),
      eventTypes: await attempt(() => site.eventTypes()),
    },
  };
};

const orRead = <T>(known: Read<T>, read: () => Promise<T>): Promise<T> =>
  'value' in known ? Promise.resolve(known.value) : read();

/** A site, on which nothing was written since, that answers with what a plan has read; what that could not read, or not use, is read again. */
export const asRead = (site: Site, state: SiteState, members?: Read<readonly string[] | null>): Site => ({
  ...site,
  probe: async () => state.user,
  patrolSchemas: async () => state.patrolSchemas,
  patrolTypes: () => orRead(state.types, () => site.patrolTypes()),
  form: () => orRead(state.form, () => site.form()),
  choices: async (field) =>
    'value' in state.choices ? (state.choices.value.get(field) ?? []) : await site.choices(field),
  subjects: () => orRead(state.subjects, () => site.subjects()),
  teams: () => orRead(state.teams, () => site.teams()),
  patrolMembers: () => (members ? orRead(members, () => site.patrolMembers()) : site.patrolMembers()),
});
