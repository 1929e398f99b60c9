import { isObject, notAnObject, type Body } from '../../json.ts';
import type { ItemKind } from '../ingest-log.ts';
import {
  type Field,
  filled,
  integer,
  list,
  object,
  optional,
  position,
  required,
  strings,
  text,
  time,
} from './fields.ts';

const eventFields: readonly Field[] = [
  ...optional(['title', 'event_type', 'status', 'source'], filled),
  ...optional(['event_details', 'geometry', 'annotations', 'provider_metadata'], object),
  { name: 'location', check: position('lat', 'lon') },
  { name: 'priority', check: integer },
  { name: 'notes', check: list },
];

/** Fields of each kind of item (platform contract, section 1). */
export const schemas: Readonly<Record<Exclude<ItemKind, 'attachment'>, readonly Field[]>> = {
  observation: [
    required('recorded_at', time),
    required('location', position('lat', 'lon')),
    ...optional(['source', 'source_name', 'type', 'subject_type'], filled),
    ...optional(['additional', 'annotations'], object),
  ],
  message: [
    required('sender', filled),
    required('recipients', strings, 'device_ids'),
    required('recorded_at', time, 'created_at'),
    ...optional(['source', 'source_name'], filled),
    { name: 'text', check: text },
    { name: 'location', check: position('latitude', 'longitude') },
    { name: 'additional', check: object },
  ],
  event: [required('recorded_at', time), ...eventFields],
  event_change: [{ name: 'recorded_at', check: time }, ...eventFields],
};

/** Problems of one item by field, as the platform answers them; empty when it is good. */
export type ItemProblems = Readonly<Record<string, readonly string[]>>;

/** A checked item: its problems, and the member names that its kind does not know. */
interface Checked {
  readonly problems: ItemProblems;
  readonly unknown: readonly string[];
}

const problemOf = ({ name, alias, required, check }: Field, item: Body): string | undefined => {
  const value = item[name] === undefined && alias !== undefined ? item[alias] : item[name];
  if (value === undefined) return required === true ? 'This field is required.' : undefined;
  return check(value);
};

/** Characters that its database cannot store, as JSON escapes: U+0000 and unpaired surrogates. */
const notStorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

const hasNullText = (kind: string, item: unknown): boolean =>
  kind === 'message' && isObject(item) && item['text'] === null;

/** True for what the platform fails on instead of refusing it: a message whose text is null, a text that its database cannot hold. */
export const breaksPlatform = (kind: string, item: unknown): boolean =>
  hasNullText(kind, item) || notStorable.test(JSON.stringify(item) ?? '');

/** Checks an item against its kind's fields. A message's null text is no problem here: see `breaksPlatform`. */
export const validate = (kind: string, fields: readonly Field[], item: unknown): Checked => {
  if (!isObject(item)) return { problems: { non_field_errors: [notAnObject] }, unknown: [] };
  const problems: Record<string, string[]> = {};
  const known = new Set<string>();
  for (const field of fields) {
    known.add(field.name);
    if (field.alias !== undefined) known.add(field.alias);
    if (field.name === 'text' && hasNullText(kind, item)) continue;
    const problem = problemOf(field, item);
    if (problem !== undefined) problems[field.name] = [problem];
  }
  return { problems, unknown: Object.keys(item).filter((name) => !known.has(name)) };
};
