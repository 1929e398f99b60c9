import { sosStateSchema, sosStepSchema } from '@ranger-relay/contracts';
import { z } from 'zod';

/**
 * `accepted`: the platform has accepted every part. `refused`: a dead letter waits for a person. `waiting`: the forwarder has it still to
 * send. `not_known`: nothing proves any of these. `dropped`: a person dropped its dead letter. `dropped_disabled`: its integration was
 * disabled when it arrived.
 */
export const deliverySchema = z.enum(['waiting', 'refused', 'accepted', 'not_known', 'dropped', 'dropped_disabled']);

/** One step of an SOS event. */
export const stepSchema = z.object({
  step: z.enum([
    'received',
    'confirmed',
    'cancelled',
    'refused',
    ...sosStepSchema.shape.step.exclude(['settled']).options,
  ]),
  /** ISO. */
  at: z.string(),
  /** Since the receipt of the event. */
  seconds: z.number(),
  dead_letter: z.string().nullable(),
  /** Ids that the platform gave. */
  object_ids: z.array(z.string()),
});

/** One event of an SOS: declared, confirmed or cancelled. */
export const sosEventSchema = z.object({
  event_id: z.string(),
  state: sosStateSchema,
  /** Time of the device, ISO. */
  recorded_at: z.string(),
  received_at: z.string(),
  delivery: deliverySchema,
  /** Dead letter that waits for a person. */
  dead_letter: z.string().nullable(),
  steps: z.array(stepSchema),
});

/** An SOS of a device, with the confirmations and the cancellation that followed. */
export const sosCallSchema = z.object({
  integration_id: z.string(),
  /** Name of the integration at the platform; null when unknown. */
  name: z.string().nullable(),
  /** The device; empty when it is not known. */
  source: z.string(),
  /** That of its last event. */
  state: sosStateSchema,
  /** Receipt of its first event, ISO. */
  received_at: z.string(),
  /** Not cancelled by the device yet, or not known to have reached the platform (unless it was dropped). */
  open: z.boolean(),
  /** The worst of its events. */
  delivery: deliverySchema,
  dead_letter: z.string().nullable(),
  events: z.array(sosEventSchema),
});

export type Delivery = z.infer<typeof deliverySchema>;
export type Step = z.infer<typeof stepSchema>;
export type SosEvent = z.infer<typeof sosEventSchema>;
export type SosCall = z.infer<typeof sosCallSchema>;
