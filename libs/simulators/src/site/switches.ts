/**
 * Differences between sites, with their values; the first is the default. The names in brackets are the sections of the site contract; those
 * without are about pulls.
 *
 * - `delete_answer` (1): 200 with code 204 in the body, or an empty 204
 * - `next_link` (1): absolute with the address that was called, with `http://` and no port, with another host, or only the
 *   query with the parameter of the page in it
 * - `compress` (1): whether answers are sent with gzip
 * - `user_permissions` (2): whether `user/me` shows permissions by model, by name, or not
 * - `missing_permission` (1): 403, or as older sites 200 with `{"data":[]}`, whatever was asked for
 * - `patrol_schemas` (2): the feature flag; `absent` leaves out its key, `no_features` the object around it
 * - `inactive_types` (3): whether inactive types are shown only with `include_inactive=true`, always, or in the list never
 * - `type_address` (3): what `<key>` may be
 * - `patrol_filter`, `patrol_type_shown` (3): whether `filter` counts, and how a patrol names its type
 * - `choice_unseen_field` … `choice_word_values` (4): the answer for a field nobody used, how filters match, a 201 without
 *   `id`, and 400 for values with anything but `\w`
 * - `form_record` (5): what `default/` shows; `document` is the document in place of the record
 * - `form_schema` (5): whether `default/` shows the document only with `include_schema=true`, or always
 * - `form_none` (5): what stands for "no form"
 * - `form_document` (5): what `default/schema/` shows; `bare` is without envelope, here and for `form_record: document`
 * - `form_permission` (8): permissions of its own, or those of types
 * - `duplicate_subjects` (6): others than superusers get a subject once for each group of theirs that it is in
 * - `groups_flat`, `group_name_filter` (7): whether `flat` counts, and how `group_name` matches
 * - `member_calls` (7): whether there are calls for the members of a group, which older sites lack
 * - `config`, `config_key`, `config_items` (7): whether there is a patrol configuration, and its shape
 * - `paging`: what `next` of observations and events carries; a cursor only for those who ask with `use_cursor=true`
 * - `bounds`: whether what was recorded at `since` and at `until` is part of the answer
 * - `lists`: whether lists of types, categories, groups and subject sources come bare or as a page
 * - `equal_keys`: rows of one time, or of one `ordernum`, come in another order for each query, as a database gives them, or by id
 * - `endless`: the page after the last is the first again
 * - `created_after`: of observations, honoured, passed over without a word, or refused with 400
 * - `sort_by`: of events, likewise; unsorted events come newest first
 */
export const switchValues = {
  delete_answer: ['body', 'empty'],
  next_link: ['own', 'http', 'other_host', 'query_only'],
  compress: [false, true],
  user_permissions: ['by_model', 'names', 'absent'],
  missing_permission: ['refused', 'empty_list'],
  patrol_schemas: ['on', 'off', 'absent', 'no_features'],
  inactive_types: ['on_request', 'shown', 'unlisted'],
  type_address: ['value', 'id', 'both'],
  types_read_only: [false, true],
  patrol_filter: ['honoured', 'ignored'],
  patrol_type_shown: ['id', 'value'],
  choice_unseen_field: ['refused', 'empty'],
  choice_filter: ['exact', 'any_case', 'ignored'],
  choice_without_id: [false, true],
  choice_word_values: [false, true],
  form_record: ['object', 'string', 'document', 'not_found', 'not_allowed'],
  form_schema: ['on_request', 'always'],
  form_none: ['null', 'empty', 'not_found'],
  form_document: ['wrapped', 'bare', 'not_found'],
  form_permission: ['own', 'types'],
  duplicate_subjects: [true, false],
  groups_flat: ['honoured', 'ignored'],
  group_name_filter: ['contains', 'exact', 'ignored'],
  member_calls: ['found', 'not_found'],
  config: ['found', 'empty', 'not_found'],
  config_key: ['members', 'member_groups', 'members_groups', 'subject_groups'],
  config_items: ['objects', 'ids', 'names'],
  paging: ['cursor', 'page', 'offset'],
  bounds: ['inclusive', 'half_open', 'exclusive'],
  lists: ['bare', 'paged'],
  equal_keys: ['unordered', 'by_id'],
  endless: [false, true],
  created_after: ['honoured', 'ignored', 'refused'],
  sort_by: ['honoured', 'ignored', 'refused'],
} as const;

const numbers = {
  /** Milliseconds that every request takes at least. */
  latency_ms: 0,
  /** Requests that a token may make within a minute; 0: any number. */
  throttle_per_minute: 0,
  /** Offset of the site's clock, which stamps rows and dates answers, from the machine's. */
  clock_offset_s: 0,
  /** Number of events to edit after each page that has a next one. */
  edits_per_page: 0,
};

const texts = {
  /** Pages that hold the row of this id are answered 500; empty: none. */
  failing_row: '',
};

type Values = typeof switchValues;

/** The switches of a site. */
export type SiteSwitches = { readonly [Name in keyof Values]: Values[Name][number] } & Readonly<
  typeof numbers & typeof texts
>;

const firstValues = Object.fromEntries(Object.entries(switchValues).map(([name, [first]]) => [name, first]));

/** Default settings of a site. */
export const defaultSwitches = { ...firstValues, ...numbers, ...texts } as SiteSwitches;

const problemOf = ([name, value]: [string, unknown]): string | undefined => {
  if (Object.hasOwn(numbers, name))
    return typeof value === 'number' && (value >= 0 || name === 'clock_offset_s')
      ? undefined
      : `${name} takes a number`;
  if (Object.hasOwn(texts, name)) return typeof value === 'string' ? undefined : `${name} takes a text`;
  if (!Object.hasOwn(switchValues, name)) return `no such switch: ${name}`;
  const values: readonly unknown[] = switchValues[name as keyof Values];
  return values.includes(value) ? undefined : `${name} takes ${values.join(', ')}`;
};

/** Reads changes of switches from JSON: the changes, or a sentence about what is wrong. */
export const parseSwitches = (raw: Readonly<Record<string, unknown>>): Partial<SiteSwitches> | string =>
  Object.entries(raw)
    .map(problemOf)
    .find((problem) => problem !== undefined) ?? (raw as Partial<SiteSwitches>);
