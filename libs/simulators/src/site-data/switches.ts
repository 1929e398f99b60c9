/**
 * What differs between sites and what may go wrong with their lists; the first value is the default.
 *
 * - `paging`: what `next` of observations and events carries; a cursor only for who asks with `use_cursor=true`
 * - `bounds`: whether what was recorded at `since` and at `until` is part of the answer
 * - `lists`: whether lists of types, categories, groups and subject sources come bare or as a page
 * - `next_link`: absolute with the address that was called, with `http://` and no port, with another host, or only the query with the
 *   parameter of the page in it
 * - `order`: of observations, by time
 * - `endless`: the page after the last is the first again
 * - `created_after`: of observations, honoured, passed over without a word, or refused with 400
 * - `sort_by`: of events, likewise; unsorted events come newest first
 * - `clock_offset_s`: the site's own clock stands so far from the machine's; it stamps rows and dates answers
 * - `edits_per_page`: so many events are edited after each page of events that has a next one
 * - `failing_row`: pages that hold the row of this id are answered 500; an empty text for none
 * - `throttle_per_minute`: 429 beyond so many requests in a minute; 0 for no bound
 */
export const dataSwitchValues = {
  paging: ['cursor', 'page', 'offset'],
  bounds: ['inclusive', 'half_open', 'exclusive'],
  lists: ['bare', 'paged'],
  next_link: ['own', 'http', 'other_host', 'query_only'],
  order: ['ascending', 'descending'],
  endless: [false, true],
  created_after: ['honoured', 'ignored', 'refused'],
  sort_by: ['honoured', 'ignored', 'refused'],
} as const;

const numbers = {
  largest_page: 4_000,
  subject_sources_page: 4_000,
  token_life_s: 3_600,
  latency_ms: 0,
  clock_offset_s: 0,
  edits_per_page: 0,
  throttle_per_minute: 0,
};

const texts = { failing_row: '' };

type Values = typeof dataSwitchValues;

/** The switches of a site. */
export type DataSwitches = { readonly [Name in keyof Values]: Values[Name][number] } & {
  readonly [Name in keyof typeof numbers]: number;
} & { readonly [Name in keyof typeof texts]: string };

const firstValues = Object.fromEntries(Object.entries(dataSwitchValues).map(([name, [first]]) => [name, first]));

/** What a site is like unless told otherwise. */
export const defaultDataSwitches = { ...firstValues, ...numbers, ...texts } as DataSwitches;

const problemOf = ([name, value]: [string, unknown]): string | undefined => {
  if (Object.hasOwn(numbers, name))
    return typeof value === 'number' && (value >= 0 || name === 'clock_offset_s')
      ? undefined
      : `${name} takes a number`;
  if (Object.hasOwn(texts, name)) return typeof value === 'string' ? undefined : `${name} takes a text`;
  if (!Object.hasOwn(dataSwitchValues, name)) return `no such switch: ${name}`;
  const values: readonly unknown[] = dataSwitchValues[name as keyof Values];
  return values.includes(value) ? undefined : `${name} takes ${values.join(', ')}`;
};

/** Reads changes of switches from JSON: the changes, or a sentence about what is wrong. */
export const parseDataSwitches = (raw: Readonly<Record<string, unknown>>): Partial<DataSwitches> | string =>
  Object.entries(raw)
    .map(problemOf)
    .find((problem) => problem !== undefined) ?? (raw as Partial<DataSwitches>);
