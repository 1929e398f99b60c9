import { refused } from '../../site/answers/envelope.ts';
import {
  type DataCall,
  type DataRoute,
  instantOf,
  isId,
  reversed,
  type Rows,
  rowsOf,
  unknownParameter,
} from '../call.ts';
import { pageOfRows, type Place } from '../paging.ts';
import type { Observation } from '../records.ts';
import { volumeRows } from '../volume.ts';

const names = ['since', 'until', 'created_after', 'source_id', 'filter', 'include_details'];

/** What a call asks for; times are whole ms since 1970. */
interface Wanted {
  readonly from: number;
  /** Not part of it. */
  readonly to: number;
  /** Saved then or later, by the site's clock. */
  readonly savedFrom: number;
  readonly source: string | null;
}

const sorted = new WeakMap<readonly Observation[], readonly Observation[]>();

const placeOf = ({ recorded_at: at, id }: Observation): Place => [Date.parse(at), id];

const inOrder = (a: Observation, b: Observation): number =>
  Date.parse(a.recorded_at) - Date.parse(b.recorded_at) || (a.id < b.id ? -1 : 1);

const byTime = (list: readonly Observation[]): readonly Observation[] => {
  const known = sorted.get(list);
  if (known) return known;
  const order = list.toSorted(inOrder);
  sorted.set(list, order);
  return order;
};

const found = ({ data, now, offsetMs }: DataCall, wanted: Wanted): Rows<Observation> => {
  const { from, to, savedFrom, source } = wanted;
  const { observations, sources, volume } = data;
  const listed = byTime(observations).filter((row) => {
    const at = Date.parse(row.recorded_at);
    const saved = Date.parse(String(row['created_at'] ?? row.recorded_at));
    return (source === null || row.source === source) && !(at < from) && !(at >= to) && !(saved < savedFrom);
  });
  if (!volume) return rowsOf(listed);
  const ids = sources.map(({ id }) => id);
  const made = volumeRows(volume, ids, { from, to, cameFrom: savedFrom - offsetMs, now, offsetMs, source });
  if (listed.length === 0) return made;
  const all = Array.from({ length: made.length }, (_, index) => made.at(index)).concat(listed);
  return rowsOf(all.toSorted(inOrder));
};

const shown = (row: Observation, details: boolean): object =>
  details ? row : Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'observation_details'));

const wantedOf = ({ query, switches }: DataCall): Wanted | string => {
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

/** `observations`: recorded between two instants, saved since one, of one source or of all. */
export const observations: DataRoute = (call) => {
  const { query, switches } = call;
  const strange = unknownParameter(query, names, true);
  if (strange) return strange;
  const wanted = wantedOf(call);
  if (typeof wanted === 'string') return refused({ [wanted]: ['Enter a valid date/time.'] });
  if (query.get('filter') !== 'null') return refused({ filter: ['Only what is not excluded is left without it.'] });
  const ids = query.getAll('source_id');
  if (ids.length > 1 || !ids.every(isId)) return refused({ source_id: ['One id, or none.'] });
  const rows = found(call, wanted);
  const details = query.get('include_details') === 'true';
  const descending = switches.order === 'descending';
  return pageOfRows({ rows: descending ? reversed(rows) : rows, placeOf, descending }, call, (row) =>
    shown(row, details),
  );
};
