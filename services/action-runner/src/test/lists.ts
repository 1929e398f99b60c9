import { hash } from 'node:crypto';

/** A row as the site gives it. */
export type Row = Readonly<Record<string, unknown>>;

/** The two lists of a site that are pulled, as the platform contract describes them; what differs between sites can be set. */
export interface SiteLists {
  observations: readonly Row[];
  events: readonly Row[];
  /** What `next` carries; a cursor is a time and a number of rows behind it, a number a place in the list of that moment. */
  paging: 'cursor' | 'page' | 'offset';
  /** What becomes of `created_after`. */
  arrival: 'honoured' | 'ignored' | 'refused';
  /** What becomes of `sort_by`; unsorted events come newest first. */
  sorting: 'honoured' | 'ignored' | 'refused';
  /** Ids of the types that an event is of, by which it is filtered; undefined where that filter is of no interest. */
  typesOf: ((event: Row) => readonly string[]) | undefined;
  /** Pages with such a row are answered 500. */
  fails: (row: Row) => boolean;
  /** Rows of a page when at most 100 are asked for; what is asked for when undefined. */
  pageSize: number | undefined;
  /** Most rows of a page; larger ones are cut to that without a word. */
  largest: number;
}

/** A page, or the status of a refusal. */
export type ListAnswer =
  | { readonly rows: readonly Row[]; readonly next: Readonly<Record<string, string>> | null }
  | { readonly status: 400 | 404 | 500 };

/** A site without rows. */
export const emptyLists = (): SiteLists => ({
  observations: [],
  events: [],
  paging: 'cursor',
  arrival: 'honoured',
  sorting: 'honoured',
  typesOf: undefined,
  fails: () => false,
  pageSize: undefined,
  largest: 4_000,
});

const timeOf = (row: Row, name: string): number => Date.parse(String(row[name]));

interface Sorted {
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => number;
  readonly sign: 1 | -1;
}

/** Rows by a time alone: those of one time come in an order that is another one for each query, and the same for an equal query. */
const sorted = (rows: readonly Row[], name: string, sign: 1 | -1, query: URLSearchParams): Sorted => {
  const keyOf = (row: Row): number => timeOf(row, name) || 0;
  const chances = new Map(rows.map((row) => [row, hash('sha256', `${query} ${String(row['id'])}`)]));
  const byChance = (a: Row, b: Row): number => ((chances.get(a) ?? '') < (chances.get(b) ?? '') ? -1 : 1);
  return { rows: rows.toSorted((a, b) => sign * (keyOf(a) - keyOf(b)) || byChance(a, b)), keyOf, sign };
};

/** A cursor counts no further into one time. */
const maxCursorOffset = 1_000;

const startOf = ({ rows, keyOf, sign }: Sorted, query: URLSearchParams, size: number): number => {
  const [cursor, page, offset] = ['cursor', 'page', 'offset'].map((name) => query.get(name));
  if (cursor) {
    const [key, more] = JSON.parse(cursor) as [number | null, number];
    const found = key === null ? 0 : rows.findIndex((row) => sign * (keyOf(row) - key) > 0);
    return (found < 0 ? rows.length : found) + Math.min(more, maxCursorOffset);
  }
  return offset ? Number(offset) : (Number(page ?? '1') - 1) * size;
};

const cursorAt = ({ rows, keyOf }: Sorted, index: number): string => {
  const first = rows.findIndex((row) => keyOf(row) === keyOf(rows[index] ?? {}));
  const before = rows[first - 1];
  return JSON.stringify([before ? keyOf(before) : null, index - first]);
};

const pageOf = (list: Sorted, query: URLSearchParams, { paging, pageSize, largest, fails }: SiteLists): ListAnswer => {
  const asked = Number(query.get('page_size') ?? '25');
  const size = Math.min(asked <= 100 ? (pageSize ?? asked) : asked, largest);
  const from = startOf(list, query, size);
  if (from > 0 && from >= list.rows.length && !query.has('cursor')) return { status: 404 };
  const rows = list.rows.slice(from, from + size);
  if (rows.some(fails)) return { status: 500 };
  const to = from + rows.length;
  const next = {
    cursor: () => ({ cursor: cursorAt(list, to) }),
    page: () => ({ page: String(to / size + 1) }),
    offset: () => ({ offset: String(to) }),
  }[query.get('use_cursor') === 'true' || paging !== 'cursor' ? paging : 'page'];
  return { rows, next: to < list.rows.length ? next() : null };
};

const observationsPage = (site: SiteLists, query: URLSearchParams): ListAnswer => {
  const bound = (name: string, missing: number): number =>
    query.has(name) ? Date.parse(query.get(name) ?? '') : missing;
  const [since, until] = [bound('since', -Infinity), bound('until', Infinity)];
  if (query.has('created_after') && site.arrival === 'refused') return { status: 400 };
  const saved = site.arrival === 'honoured' ? bound('created_after', -Infinity) : -Infinity;
  const source = query.get('source_id');
  const found = site.observations.filter(
    (row) =>
      !(timeOf(row, 'recorded_at') < since) &&
      !(timeOf(row, 'recorded_at') > until) &&
      !(timeOf(row, 'created_at') < saved) &&
      (source === null || row['source'] === source),
  );
  return pageOf(sorted(found, 'recorded_at', 1, query), query, site);
};

const dates = { update_date: 'updated_at', create_date: 'created_at', date_range: 'time' } as const;
const orders: Readonly<Record<string, string>> = {
  updated_at: 'updated_at',
  created_at: 'created_at',
  event_time: 'time',
};

const passes = (filter: Row, event: Row): boolean =>
  Object.entries(dates).every(([name, member]) => {
    const range = filter[name] as { lower: string; upper?: string } | undefined;
    if (!range) return true;
    const at = timeOf(event, member);
    return !(at < Date.parse(range.lower)) && !(at > Date.parse(range.upper ?? '2999-01-01'));
  });

const isOfType = ({ typesOf }: SiteLists, { event_type: wanted }: Row, event: Row): boolean =>
  !typesOf || !Array.isArray(wanted) || typesOf(event).some((id) => wanted.includes(id));

const eventsPage = (site: SiteLists, query: URLSearchParams): ListAnswer => {
  const asked = query.get('sort_by');
  if (asked !== null && site.sorting === 'refused') return { status: 400 };
  const order = asked !== null && site.sorting === 'honoured' ? orders[asked] : undefined;
  const filter = JSON.parse(query.get('filter') ?? '{}') as Row;
  const hidden = new Set([
    ...(query.get('include_notes') === 'true' ? [] : ['notes']),
    ...(query.get('include_files') === 'true' ? [] : ['files']),
  ]);
  const found = site.events
    .filter((event) => passes(filter, event) && isOfType(site, filter, event))
    .map((event) => Object.fromEntries(Object.entries(event).filter(([name]) => !hidden.has(name))));
  return pageOf(sorted(found, order ?? 'updated_at', order === undefined ? -1 : 1, query), query, site);
};

/** Answers `observations` and `activity/events`; undefined for another path. */
export const listAnswer = (site: SiteLists, path: string, query: URLSearchParams): ListAnswer | undefined => {
  if (path === 'observations') return observationsPage(site, query);
  return path === 'activity/events' ? eventsPage(site, query) : undefined;
};
