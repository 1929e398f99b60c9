/**
 * What differs between sites, and the values it can take; the first is the default. The names in brackets are the sections of the site
 * contract.
 *
 * - `delete_answer` (1): 200 with code 204 in the body, or an empty 204
 * - `next_link` (1): absolute with the address that was called, with `http://` and no port, or with another host
 * - `compress` (1): whether answers are sent with gzip
 * - `user_permissions` (1): whether `user/me` lists permissions
 * - `patrol_schemas` (2): the feature flag; `absent` leaves out its key, `no_features` the object around it
 * - `type_address` (3): what `<key>` may be
 * - `patrol_filter`, `patrol_type_shown` (3): whether `filter` counts, and how a patrol names its type
 * - `patrols_unseen` (3): what a token is told that may not view patrols: 403, or an empty list
 * - `choice_unseen_field` … `choice_word_values` (4): the answer for a field nobody used, how filters match, the order among equal
 *   `ordernum`, a 201 without `id`, and 400 for values with anything but `\w`
 * - `form_record` (5): what `default/` shows; `document` is the document in place of the record
 * - `form_none` (5): what stands for "no form"
 * - `form_document` (5): what `default/schema/` shows; `bare` is without envelope, here and for `form_record: document`
 * - `form_permission` (8): the type permissions, or some of its own
 * - `duplicate_subjects` (6): others than superusers get a subject once for each group of theirs that it is in
 * - `groups_flat`, `group_name_filter` (7): whether `flat` counts, and how `group_name` matches
 * - `config`, `config_key`, `config_items` (7): whether there is a patrol configuration, and its shape
 */
export const switchValues = {
  delete_answer: ['body', 'empty'],
  next_link: ['own', 'http', 'other_host'],
  compress: [false, true],
  user_permissions: [false, true],
  patrol_schemas: ['on', 'off', 'absent', 'no_features'],
  type_address: ['value', 'id', 'both'],
  types_read_only: [false, true],
  patrol_filter: ['honoured', 'ignored'],
  patrol_type_shown: ['id', 'value'],
  patrols_unseen: ['refused', 'empty'],
  choice_unseen_field: ['refused', 'empty'],
  choice_filter: ['exact', 'any_case', 'ignored'],
  choice_order: ['unstable', 'stable'],
  choice_without_id: [false, true],
  choice_word_values: [false, true],
  form_record: ['object', 'string', 'document', 'not_found', 'not_allowed'],
  form_none: ['null', 'empty', 'not_found'],
  form_document: ['wrapped', 'bare', 'not_found'],
  form_permission: ['types', 'own'],
  duplicate_subjects: [true, false],
  groups_flat: ['honoured', 'ignored'],
  group_name_filter: ['contains', 'exact', 'ignored'],
  config: ['found', 'empty', 'not_found'],
  config_key: ['member_groups', 'members_groups', 'subject_groups', 'members'],
  config_items: ['ids', 'objects', 'names'],
} as const;

type Values = typeof switchValues;

/** The switches of a site. */
export type SiteSwitches = { readonly [Name in keyof Values]: Values[Name][number] } & {
  /** Milliseconds that every request takes at least. */
  readonly latency_ms: number;
  /** Requests that a token may make within a minute; 0: any number. */
  readonly throttle_per_minute: number;
  /** Member of the form's record without which a PUT is refused; empty: none. */
  readonly form_put_needs: string;
};

const firstValues = Object.fromEntries(Object.entries(switchValues).map(([name, [first]]) => [name, first]));

/** What a site is like unless told otherwise. */
export const defaultSwitches = {
  ...firstValues,
  latency_ms: 0,
  throttle_per_minute: 0,
  form_put_needs: '',
} as SiteSwitches;

const problemOf = ([name, value]: [string, unknown]): string | undefined => {
  if (name === 'latency_ms' || name === 'throttle_per_minute')
    return typeof value === 'number' && value >= 0 ? undefined : `${name} takes a number`;
  if (name === 'form_put_needs') return typeof value === 'string' ? undefined : 'form_put_needs takes a text';
  if (!Object.hasOwn(switchValues, name)) return `no such switch: ${name}`;
  const values: readonly unknown[] = switchValues[name as keyof Values];
  return values.includes(value) ? undefined : `${name} takes ${values.join(', ')}`;
};

/** Reads changes of switches from JSON: the changes, or a sentence about what is wrong. */
export const parseSwitches = (raw: Readonly<Record<string, unknown>>): Partial<SiteSwitches> | string =>
  Object.entries(raw)
    .map(problemOf)
    .find((problem) => problem !== undefined) ?? (raw as Partial<SiteSwitches>);
