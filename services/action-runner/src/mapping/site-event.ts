import { isExactNumber, isObject, numberText } from '@ranger-relay/errors';
import { readNumber } from '@ranger-relay/runtime';
import { z } from 'zod';
import { readLocation, type Row } from './instant.ts';

/** A note from the site, without members that have no value. */
export interface SiteNote {
  readonly id: string;
  readonly note: Readonly<Record<string, unknown>>;
}

/** A file of an event. */
export interface SiteFile {
  readonly id: string;
  readonly url: string;
  readonly name: string;
  readonly type: string;
}

/** The members of a site event that are transferred; missing or unusable ones are null. */
export interface SiteEvent {
  readonly id: string;
  readonly updatedAt: string | null;
  readonly createdAt: string | null;
  readonly time: string | null;
  readonly title: string | null;
  readonly type: string | null;
  readonly state: string | null;
  readonly priority: number | null;
  readonly location: { readonly lat: number; readonly lon: number } | null;
  /** True when the site names a place that cannot be read. */
  readonly isPlaceUnreadable: boolean;
  readonly geometry: Readonly<Record<string, unknown>> | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly serial: string | number | null;
  readonly notes: readonly SiteNote[];
  readonly files: readonly SiteFile[];
}

/** An id as the site writes it: a text, or a number of any size. */
export const idText = z.preprocess((id) => (isExactNumber(id) ? numberText(id) : id), z.string().min(1).max(200));
const text = z.string().min(1).nullable().catch(null);
const object = z.record(z.string(), z.unknown()).nullable().catch(null);

const typeOfEnding = new Map(
  Object.entries({
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    png: 'image/png',
    gif: 'image/gif',
    webp: 'image/webp',
    heic: 'image/heic',
    pdf: 'application/pdf',
    mp4: 'video/mp4',
    mp3: 'audio/mpeg',
    csv: 'text/csv',
    txt: 'text/plain',
  }),
);

const mediaType = (name: string): string =>
  typeOfEnding.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase()) ?? 'application/octet-stream';

const noteSchema = z.looseObject({ id: idText }).transform(({ id, ...rest }): SiteNote => ({
  id,
  note: Object.fromEntries(Object.entries({ id, ...rest }).filter(([, value]) => value !== null && value !== '')),
}));

const fileSchema = z
  .looseObject({ id: idText, url: z.string().min(1).max(2_000), filename: text.optional(), name: text.optional() })
  .transform(({ id, url, filename, name }): SiteFile => {
    const shown = filename ?? name ?? id;
    return { id, url, name: shown, type: mediaType(shown) };
  });

/** The readable entries of a list. */
const each = <T>(schema: z.ZodType<T>) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((list) => list.flatMap((entry) => schema.safeParse(entry).data ?? []));

const members = {
  id: idText,
  updated_at: text,
  created_at: text,
  time: text,
  title: text,
  event_type: text,
  state: text,
  priority: z.preprocess(readNumber, z.int().nullable().catch(null)),
  location: z.unknown().optional(),
  geojson: object,
  event_details: object,
  serial_number: z
    .union([z.string().min(1), z.custom<number>(isExactNumber)])
    .nullable()
    .catch(null),
  notes: each(noteSchema),
  files: each(fileSchema),
};

const eventSchema = z.looseObject(members).transform((row): SiteEvent => ({
  id: row.id,
  updatedAt: row.updated_at,
  createdAt: row.created_at,
  time: row.time,
  title: row.title,
  type: row.event_type,
  state: row.state,
  priority: row.priority,
  location: readLocation(row.location) ?? null,
  isPlaceUnreadable: readLocation(row.location) === undefined,
  geometry: row.geojson,
  details: row.event_details,
  serial: row.serial_number,
  notes: row.notes,
  files: row.files,
}));

/** Reads a row of the list of events; undefined when it has no id. Members of an unexpected type count as missing. */
export const readEvent = (row: unknown): SiteEvent | undefined => eventSchema.safeParse(row).data;

/** The members of a row that `readEvent` reads, as the site has them. */
export const transferredMembers = (row: unknown): Row =>
  isObject(row) ? Object.fromEntries(Object.entries(row).filter(([name]) => Object.hasOwn(members, name))) : {};
