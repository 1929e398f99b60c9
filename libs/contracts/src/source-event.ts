import { cleanText, cleanTexts } from '@ranger-relay/errors';
import { z } from 'zod';

/** Rows of a site contain any text; a database takes neither NUL nor half a surrogate pair. */
const cleanString = z.string().overwrite((value) => cleanText(value));
const additional = z.record(z.string(), z.unknown()).overwrite(cleanTexts);

/** A position for the platform's observations API. Numbers are not rounded; members that a site does not provide are left out. */
export const observationSchema = z.object({
  source: cleanString,
  source_name: cleanString.optional(),
  type: cleanString.optional(),
  subject_type: cleanString.optional(),
  recorded_at: z.string(),
  location: z.object({ lat: z.number(), lon: z.number() }),
  additional,
});

/** A text for the platform's messages API; `location` is left out without a usable fix. */
export const messageSchema = z.object({
  source: cleanString,
  sender: cleanString,
  recipients: z.array(cleanString),
  text: cleanString,
  recorded_at: z.string(),
  location: z.object({ latitude: z.number(), longitude: z.number() }).optional(),
  additional,
});

export const sosStateSchema = z.enum(['declared', 'confirmed', 'cancelled']);

/** Value of `source-events`: one event of one source, already mapped. */
export const sourceEventSchema = z.object({
  v: z.literal(1),
  integration_id: z.string(),
  event_id: z.string(),
  received_at: z.string(),
  source: cleanString,
  kind: z.enum(['device', 'site']),
  message_code: z.number().int().optional(),
  sos: sosStateSchema.nullish(),
  /** Set on the replay of a refused part, which has an id of its own: the id of the event. */
  replay_of: z.string().optional(),
  observation: observationSchema.nullable(),
  message: messageSchema.nullable(),
});

export type Observation = z.infer<typeof observationSchema>;
export type Message = z.infer<typeof messageSchema>;
export type SosState = z.infer<typeof sosStateSchema>;
export type SourceEvent = z.infer<typeof sourceEventSchema>;

/** Key of `source-events`: all events of one source share it and so keep their order. */
export const sourceEventKey = (integrationId: string, source: string): string => `${integrationId}:${source}`;

/** Integration part of a `source-events` key; ids hold no colon, sources may. */
export const integrationOfKey = (key: string): string => key.slice(0, Math.max(0, key.indexOf(':'))) || key;

/** Header of a moved, dead-lettered or replayed record whose event may have been sent before: a repetition of it must differ. */
export const maybeSentHeader = 'maybe-sent';
