import type { Body } from '../../json.ts';
import { clash, created, refused, refusedItems } from '../answers/envelope.ts';
import { itemProblems, type Problems } from '../answers/fields.ts';
import { pageOfRows, type Place, type Rows, rowsOf } from '../answers/paging.ts';
import { offsetOf, stampOf } from '../arrivals.ts';
import { permissions } from '../permissions.ts';
import type { Observation } from '../state/records.ts';
import { volumeRows } from '../state/volume.ts';
import { asks, type Call, instantOf, isId, type Route, type Run, timeOf, withParameters } from './call.ts';

const names = ['since', 'until', 'created_after', 'source_id', 'filter', 'include_details'];

/** Arguments of a call; times are whole ms since 1970. */
interface Wanted {
  readonly from: number;
  /** Not part of it. */
  readonly to: number;
  /** Saved then or later, by the site's clock. */
  readonly savedFrom: number;
  readonly source: string | null;
}

const placeOf = ({ recorded_at: at, id }: Observation): Place => [timeOf(at), id];

const inOrder = (rows: readonly Observation[]): Observation[] =>
  rows
    .map((row) => ({ row, at: timeOf(row.recorded_at) }))
    .sort((a, b) => a.at - b.at || (a.row.id < b.row.id ? -1 : 1))
    .map(({ row }) => row);

const found = ({ store, clock }: Call, wanted: Wanted): Rows<Observation> => {
  const { from, to, savedFrom, source } = wanted;
  const { observations, sources, settings } = store;
  const listed = [...observations.values()].filter((row) => {
    const at = timeOf(row.recorded_at);
    const saved = timeOf(String(row['created_at'] ?? row.recorded_at));
    return (source === null || row.source === source) && !(at < from) && !(at >= to) && !(saved < savedFrom);
  });
  if (!settings.volume) return rowsOf(inOrder(listed));
  const [now, offsetMs] = [clock.now(), offsetOf(store)];
  const query = { from, to, cameFrom: savedFrom - offsetMs, now, offsetMs, source };
  const made = volumeRows(settings.volume, [...sources.keys()], query);
  if (listed.length === 0) return made;
  return rowsOf(inOrder(Array.from({ length: made.length }, (_, index) => made.at(index)).concat(listed)));
};

const shown = (row: Observation, details: boolean): object =>
  details ? row : Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'observation_details'));

const wantedOf = ({ query, switches }: Call): Wanted | string => {
  const { bounds, created_after: arrival } = switches;
  const at: Record<string, number> = {};
  for (const name of ['since', 'until', 'created_after'] as const) {
    const isLeftOut = name === 'created_after' && !query.has(name);
    const value = isLeftOut ? -Infinity : instantOf(query.get(name));
    if (value === undefined || (name === 'created_after' && !isLeftOut && arrival === 'refused')) return name;
    at[name] = value;
  }
  const { since = 0, until = 0, created_after: saved = 0 } = at;
  return {
    from: bounds === 'exclusive' ? since + 1 : since,
    to: bounds === 'inclusive' ? until + 1 : until,
    savedFrom: arrival === 'honoured' ? saved : -Infinity,
    source: query.get('source_id'),
  };
};

const list: Run = (call) => {
  const { query } = call;
  const wanted = wantedOf(call);
  if (typeof wanted === 'string') return refused({ [wanted]: ['Enter a valid date/time.'] });
  if (query.get('filter') !== 'null') return refused({ filter: ['Only what is not excluded is left without it.'] });
  const ids = query.getAll('source_id');
  if (ids.length > 1 || !ids.every(isId)) return refused({ source_id: ['One id, or none.'] });
  const details = asks(call, 'include_details');
  return pageOfRows({ rows: found(call, wanted), placeOf }, call, (row) => shown(row, details));
};

const maxObservations = 1_000;

const problemsOf = ({ store }: Call, { recorded_at: at, source }: Body): Problems => {
  if (instantOf(at) === undefined) return { recorded_at: ['Datetime has wrong format.'] };
  return store.sources.has(String(source))
    ? {}
    : { source: [`Invalid pk "${String(source)}" - object does not exist.`] };
};

/** What an observation is unique on. */
const keyOf = ({ source, recorded_at: at }: Pick<Observation, 'source' | 'recorded_at'>): string =>
  `${source} ${timeOf(at)}`;

/** Takes a list; what the site has by source and time is passed over, and 409 when nothing else is in it. */
const addList: Run = (call) => {
  const { body, store, newId, clock } = call;
  if (!Array.isArray(body)) return refused({ non_field_errors: ['Expected a list of items.'] });
  if (body.length > maxObservations)
    return refused({ non_field_errors: [`Ensure this field has no more than ${maxObservations} elements.`] });
  const problems = itemProblems(body, (item) => problemsOf(call, item));
  if (problems) return refusedItems(problems);
  const there = new Set(Array.from(store.observations.values(), keyOf));
  const fresh = (body as readonly Observation[]).filter((row) => {
    const isNew = !there.has(keyOf(row));
    there.add(keyOf(row));
    return isNew;
  });
  if (fresh.length === 0 && body.length > 0) return clash('All observations exist.');
  const created_at = stampOf(store, clock.now());
  const records = fresh.map((row): Observation => Object.assign({ location: null }, row, { id: newId(), created_at }));
  store.apply(...records.map((record) => ({ put: 'observations', record }) as const));
  return created(records);
};

/** Observations: recorded between two instants, saved since one, of one source or of all (platform contract, site pull actions). */
export const observationRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: /^observations$/,
    needs: permissions.viewObservations,
    run: withParameters(names, true, list),
  },
  { method: 'POST', path: /^observations$/, needs: permissions.addObservation, run: addList },
];
