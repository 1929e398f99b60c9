import { z } from 'zod';
import { type SourceEvent, sosStateSchema } from './source-event.ts';

/** Parts of an event that the platform accepts one by one. */
export const eventPartSchema = z.enum(['observation', 'message']);

/**
 * Value of `sos-log`: one step in the delivery of one SOS event. Each step names the event completely, is written at least once, and may be
 * read in any order. Refusals are no steps: a dead letter tells them.
 */
export const sosStepSchema = z.object({
  v: z.literal(1),
  integration_id: z.string(),
  source: z.string(),
  event_id: z.string(),
  sos: sosStateSchema,
  /** Time of the device, ISO. */
  recorded_at: z.string(),
  received_at: z.string(),
  /** `accepted`: by the platform; `settled`: each part is accepted, or in a dead letter; `replayed` and `dropped`: a dead letter, by a person; `dropped_disabled`: by the ingester, for good. */
  step: z.enum(['stored', 'accepted', 'settled', 'replayed', 'dropped', 'dropped_disabled']),
  at: z.string(),
  parts: z.array(eventPartSchema),
  /** Ids that the platform gave. */
  object_ids: z.array(z.string()).optional(),
  /** The dead letter that was replayed or dropped, and how many attempts it counted then. */
  dead_letter: z.object({ id: z.string(), attempts: z.number().int() }).optional(),
});

export type EventPart = z.infer<typeof eventPartSchema>;
export type SosStep = z.infer<typeof sosStepSchema>;

/** The parts that an event has. */
export const partsOf = (event: Readonly<Record<EventPart, unknown>>): EventPart[] =>
  eventPartSchema.options.filter((part) => event[part] !== null);

/** Time of the device, or of the receipt without one; ISO. */
export const recordedAt = (event: SourceEvent): string =>
  event.message?.recorded_at ?? event.observation?.recorded_at ?? event.received_at;

/** A step of an SOS event; undefined for other events. @param at ms since 1970 */
export const sosStepOf = (
  event: SourceEvent,
  at: number,
  step: Pick<SosStep, 'step' | 'object_ids' | 'dead_letter'> & Partial<Pick<SosStep, 'parts'>>,
): SosStep | undefined =>
  event.sos
    ? {
        v: 1,
        integration_id: event.integration_id,
        source: event.source,
        event_id: event.replay_of ?? event.event_id,
        sos: event.sos,
        recorded_at: recordedAt(event),
        received_at: event.received_at,
        at: new Date(at).toISOString(),
        parts: partsOf(event),
        ...step,
      }
    : undefined;
