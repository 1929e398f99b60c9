import type {
  Choice,
  FormDocument,
  PatrolType,
  Site,
  SiteUser,
  Subject,
  Team,
  UnreadableRow,
} from '@ranger-relay/site';
import { type RelayError, toRelayError } from '@ranger-relay/errors';
import { listsFor } from '../form/modernize.ts';
import { readChoices } from '../resources/choice.ts';
import type { OnRead } from '../resources/resource.ts';
import { readRoster, type Roster } from '../resources/roster.ts';
import { endsRun } from '../run/tally.ts';

/** The data read for one step, or the reason why reading failed. */
export type Read<T> = { readonly value: T } | { readonly failure: RelayError };

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
  /** Null when the site does not show its teams. */
  readonly teams: Read<readonly Team[] | null>;
  /** Rows of the lists that cannot be read. */
  readonly unreadable: {
    readonly types: readonly UnreadableRow[];
    readonly choices: readonly UnreadableRow[];
    readonly subjects: readonly UnreadableRow[];
  };
}

/** Options of the site, by choice field; none when they could not be read. */
export const optionsIn = ({ choices }: SiteState): ReadonlyMap<string, readonly Choice[]> =>
  'value' in choices ? choices.value : new Map<string, readonly Choice[]>();

/** What to read, and the listener for progress. */
interface ReadOptions {
  readonly choiceFields: readonly string[];
  /** Name of the roster group; defaults to the first member group of the configuration. */
  readonly rosterGroup: string | undefined;
  readonly readsTeams: boolean;
  readonly onRead?: OnRead;
}

/** Reads the data of one step; most failures concern only that step. @throws RelayError those that end the run */
export const attempt = async <T>(read: () => Promise<T>): Promise<Read<T>> => {
  try {
    return { value: await read() };
  } catch (error) {
    const failure = toRelayError(error);
    if (endsRun(failure)) throw error;
    return { failure };
  }
};

/**
 * Reads the state that a run needs, one resource after another.
 * @throws RelayError `site_unauthorized`, `site_redirected`, `site_unavailable` of the first request
 */
export const readSite = async (site: Site, options: ReadOptions): Promise<SiteState> => {
  const user = await site.probe();
  const patrolSchemas = await site.patrolSchemas();
  const unreadable: Record<keyof SiteState['unreadable'], UnreadableRow[]> = { types: [], choices: [], subjects: [] };
  const onUnreadable = (list: keyof typeof unreadable) => (row: UnreadableRow) => void unreadable[list].push(row);
  const types = await attempt(() => site.patrolTypes(onUnreadable('types')));
  const form: SiteState['form'] = patrolSchemas ? await attempt(() => site.form()) : { value: null };
  const fields = [...new Set([...options.choiceFields, ...listsFor('value' in form ? form.value : null)])];
  return {
    unreadable,
    user,
    patrolSchemas,
    types,
    form,
    choices: await attempt(() => readChoices(site, fields, options.onRead, onUnreadable('choices'))),
    subjects: await attempt(() =>
      site.subjects((done, total) => options.onRead?.('subjects', done, total), onUnreadable('subjects')),
    ),
    roster: await attempt(() => readRoster(site, options.rosterGroup)),
    teams: options.readsTeams ? await attempt(() => site.teams()) : { value: null },
  };
};
