import { refused } from '../../site/answers/envelope.ts';
import type { DataRoute } from '../call.ts';
import { pageOfRows } from '../paging.ts';
import { instantOf, isId, unknownParameter } from '../query.ts';
import type { Observation, SiteData } from '../records.ts';
import { chained, reversed, rowsOf, type Rows } from '../rows.ts';
import type { DataSwitches } from '../switches.ts';
import { volumeRows, type Span } from '../volume.ts';

const names = ['since', 'until', 'source_id', 'filter', 'include_details'];

/** Bounds as a span that leaves out its end; times are whole milliseconds. */
const spanOf = (since: number, until: number, { bounds }: DataSwitches): Span => ({
  from: bounds === 'exclusive' ? since + 1 : since,
  to: bounds === 'inclusive' ? until + 1 : until,
});

const sorted = new WeakMap<readonly Observation[], readonly Observation[]>();

const byTime = (list: readonly Observation[]): readonly Observation[] => {
  const known = sorted.get(list);
  if (known) return known;
  const order = list.toSorted((a, b) => Date.parse(a.recorded_at) - Date.parse(b.recorded_at));
  sorted.set(list, order);
  return order;
};

const found = ({ observations, sources, volume }: SiteData, source: string | null, span: Span): Rows<Observation> => {
  const listed = byTime(observations).filter((row) => {
    const at = Date.parse(row.recorded_at);
    return (source === null || row.source === source) && !(at < span.from) && !(at >= span.to);
  });
  if (!volume) return rowsOf(listed);
  return chained(
    rowsOf(listed),
    volumeRows(
      volume,
      sources.map(({ id }) => id),
      source,
      span,
    ),
  );
};

const shown = (row: Observation, details: boolean): object =>
  details ? row : Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'observation_details'));

/** `observations`: between two instants, of one source or of all. */
export const observations: DataRoute = (call) => {
  const { query, data, switches } = call;
  const strange = unknownParameter(query, names, true);
  if (strange) return strange;
  const [since, until] = [instantOf(query.get('since')), instantOf(query.get('until'))];
  if (since === undefined) return refused({ since: ['Enter a valid date/time.'] });
  if (until === undefined) return refused({ until: ['Enter a valid date/time.'] });
  if (query.get('filter') !== 'null') return refused({ filter: ['Only what is not excluded is left without it.'] });
  const ids = query.getAll('source_id');
  if (ids.length > 1 || !ids.every(isId)) return refused({ source_id: ['One id, or none.'] });
  const rows = found(data, ids[0] ?? null, spanOf(since, until, switches));
  const details = query.get('include_details') === 'true';
  const ordered = switches.order === 'descending' ? reversed(rows) : rows;
  return pageOfRows({ length: ordered.length, at: (index) => shown(ordered.at(index), details) }, call);
};
