import { isRelayError, RelayError, toRelayError } from '@ranger-relay/errors';
import type { Choice, FormDocument, PatrolType, Site, SiteUser, Subject, SubjectGroup } from '@ranger-relay/site';
import { endsRun } from '../run/tally.ts';

/** What was read for one step, or why it could not be. */
export type Read<T> = { readonly value: T } | { readonly failure: RelayError };

/** The roster group with its members; null when the site has none that can be used. */
export type Roster = { readonly group: SubjectGroup; readonly members: ReadonlySet<string> } | null;

/** What the site has, as far as a run is about it. A step whose reading failed is planned by nobody; the others are. */
export interface SiteState {
  /** Who the token belongs to. */
  readonly user: SiteUser;
  readonly patrolSchemas: boolean;
  readonly types: Read<readonly PatrolType[]>;
  /** The stored form; not asked for while the feature is off. */
  readonly form: Read<FormDocument | null>;
  /** Options by field. */
  readonly choices: Read<ReadonlyMap<string, readonly Choice[]>>;
  readonly subjects: Read<readonly Subject[]>;
  readonly roster: Read<Roster>;
}

/** What to read, and who hears how far it has come. */
export interface ReadOptions {
  readonly choiceFields: readonly string[];
  /** Name of the roster group; the first member group of the configuration when left out. */
  readonly rosterGroup: string | undefined;
  readonly onRead?: (what: string, done: number, total: number | null) => void;
}

/** Most failures are one step's alone. @throws RelayError those that end the run */
const attempt = async <T>(read: () => Promise<T>): Promise<Read<T>> => {
  try {
    return { value: await read() };
  } catch (error) {
    const failure = toRelayError(error);
    if (endsRun(failure)) throw error;
    return { failure };
  }
};

const readChoices = async (
  site: Site,
  { choiceFields, onRead }: ReadOptions,
): Promise<ReadonlyMap<string, readonly Choice[]>> => {
  const found = new Map<string, readonly Choice[]>();
  for (const field of choiceFields)
    found.set(field, await site.choices(field, (done, total) => onRead?.(`choices of ${field}`, done, total)));
  return found;
};

const readRoster = async (site: Site, named: string | undefined): Promise<Roster> => {
  const group = named === undefined ? await site.firstMemberGroup() : await site.groupByName(named);
  if (group) return membersOf(site, group, named !== undefined);
  if (named === undefined) return null;
  throw new RelayError('roster_group_unknown', { details: { group: named } });
};

/** A configured group that is gone is none that can be used (site contract, 7). */
const membersOf = async (site: Site, group: SubjectGroup, isNamed: boolean): Promise<Roster> => {
  try {
    return { group, members: new Set(await site.groupMembers(group.id)) };
  } catch (error) {
    if (!isNamed && isRelayError(error, 'site_not_found')) return null;
    throw error;
  }
};

/**
 * Reads what a run is about, one thing after the other.
 * @throws RelayError `site_unauthorized`, `site_redirected`, `site_unavailable` of the first question
 */
export const readSite = async (site: Site, options: ReadOptions): Promise<SiteState> => {
  const user = await site.probe();
  const patrolSchemas = await site.patrolSchemas();
  return {
    user,
    patrolSchemas,
    types: await attempt(() => site.patrolTypes()),
    form: patrolSchemas ? await attempt(() => site.form()) : { value: null },
    choices: await attempt(() => readChoices(site, options)),
    subjects: await attempt(() => site.subjects((done, total) => options.onRead?.('subjects', done, total))),
    roster: await attempt(() => readRoster(site, options.rosterGroup)),
  };
};
