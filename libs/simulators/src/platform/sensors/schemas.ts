import type { ItemKind } from '../door-entry.ts';
import { filled, integer, list, object, position, strings, text, time, type Field } from './fields.ts';

const optional = (names: readonly string[], check: Field['check']): Field[] => names.map((name) => ({ name, check }));

const required = (name: string, check: Field['check'], alias?: string): Field => ({
  name,
  check,
  required: true,
  ...(alias === undefined ? {} : { alias }),
});

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
