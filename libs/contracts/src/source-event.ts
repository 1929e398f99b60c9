import { z } from 'zod';

const additional = z.record(z.string(), z.unknown());

/** A position for the platform's observations API. Numbers pass unrounded; what a site does not say of a source is left out. */
export const observationSchema = z.object({
  source: z.string(),
  source_name: z.string().optional(),
  type: z.string().optional(),
  subject_type: z.string().optional(),
  recorded_at: z.string(),
  location: z.object({ lat: z.number(), lon: z.number() }),
  additional,
});

/** A text for the platform's messages API; `location` is left out without a usable fix. */
export const messageSchema = z.object({
  source: z.string(),
  sender: z.string(),
  recipients: z.array(z.string()),
  text: z.string(),
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
  source: z.string(),
  kind: z.enum(['device', 'site']),
  message_code: z.number().int().optional(),
  sos: sosStateSchema.nullish(),
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
