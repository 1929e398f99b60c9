import { z } from 'zod';

export const deadLetterKindSchema = z.enum([
  'webhook_body',
  'webhook_event',
  'observation',
  'message',
  'site_event',
  'push_envelope',
  'push_message',
  'command',
  'config_event',
]);

/** Value of `dead-letters`: the original bytes with their origin, the reason, and the number of attempts. */
export const deadLetterSchema = z.object({
  v: z.literal(1),
  id: z.string(),
  kind: deadLetterKindSchema,
  integration_id: z.string().nullable(),
  reason: z.string(),
  detail: z.string(),
  received_at: z.string(),
  failed_at: z.string(),
  attempts: z.number().int().min(0),
  origin: z.object({ topic: z.string(), partition: z.number().int(), offset: z.string() }).nullable(),
  headers: z.record(z.string(), z.string()),
  body_base64: z.string(),
  /** For several events of one body: their indexes in the body, by error code. `body_base64` is then an envelope of these events alone. */
  rejected: z.record(z.string(), z.array(z.number().int())).optional(),
  /** Size of the whole body, when `body_base64` contains only its start. */
  bytes: z.number().int().optional(),
  sha256: z.string().optional(),
  truncated: z.boolean().optional(),
});

export type DeadLetterKind = z.infer<typeof deadLetterKindSchema>;
export type DeadLetter = z.infer<typeof deadLetterSchema>;

/** Maximum bytes of a body in a dead letter. */
export const deadLetterBodyLimit = 2 * 1_048_576;
