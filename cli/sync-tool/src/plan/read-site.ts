import { isRelayError, RelayError, toRelayError } from '@ranger-relay/errors';
import { endsRun } from '../run/stops.ts';
import type { Choice, Site, SubjectGroup } from '@ranger-relay/site';
import type { Read, Roster, SiteState } from './read.ts';

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
