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

/** Value of `dead-letters`: the original bytes with where from, why, and how often tried. */
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
  /** Of several events of one body: where each stood in it, by the code that refused it. `body_base64` is then an envelope of these alone. */
  rejected: z.record(z.string(), z.array(z.number().int())).optional(),
  /** Of the whole body, when `body_base64` holds only its start. */
  bytes: z.number().int().optional(),
  sha256: z.string().optional(),
  truncated: z.boolean().optional(),
});

export type DeadLetterKind = z.infer<typeof deadLetterKindSchema>;
export type DeadLetter = z.infer<typeof deadLetterSchema>;

/** A dead letter keeps at most so many bytes of a body. */
export const deadLetterBodyLimit = 2 * 1_048_576;
