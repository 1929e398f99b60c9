import { isRelayError, RelayError, toRelayError } from '@ranger-relay/errors';
import type { Choice, FormDocument, PatrolType, Site, SiteUser, Subject, SubjectGroup } from '@ranger-relay/site';
import { endsRun } from '../run/tally.ts';

/** The data read for one step, or the reason why reading failed. */
export type Read<T> = { readonly value: T } | { readonly failure: RelayError };

/** The roster group with its members; null when the site has no usable group. */
export type Roster = { readonly group: SubjectGroup; readonly members: ReadonlySet<string> } | null;

/** The state of the site, as far as a run needs it. A step whose data could not be read is not planned; the other steps are. */
export interface SiteState {
  /** The user that owns the token. */
  readonly user: SiteUser;
  readonly patrolSchemas: boolean;
  readonly types: Read<readonly PatrolType[]>;
  /** The stored form; not read while the feature is off. */
  readonly form: Read<FormDocument | null>;
  /** Options by field. */
  readonly choices: Read<ReadonlyMap<string, readonly Choice[]>>;
  readonly subjects: Read<readonly Subject[]>;
  readonly roster: Read<Roster>;
}

/** What to read, and the listener for progress. */
export interface ReadOptions {
  readonly choiceFields: readonly string[];
  /** Name of the roster group; defaults to the first member group of the configuration. */
  readonly rosterGroup: string | undefined;
  readonly onRead?: (what: string, done: number, total: number | null) => void;
}

/** Reads the data of one step; most failures concern only that step. @throws RelayError those that end the run */
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

/** Treats a configured group that no longer exists as no usable group (site contract, 7). */
const membersOf = async (site: Site, group: SubjectGroup, isNamed: boolean): Promise<Roster> => {
  try {
    return { group, members: new Set(await site.groupMembers(group.id)) };
  } catch (error) {
    if (!isNamed && isRelayError(error, 'site_not_found')) return null;
    throw error;
  }
};

/**
 * Reads the state that a run needs, one resource after another.
 * @throws RelayError `site_unauthorized`, `site_redirected`, `site_unavailable` of the first request
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
