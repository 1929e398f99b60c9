import { hash } from 'node:crypto';
import { z } from 'zod';

export const deadLetterKindSchema = z.enum([
  'webhook_body',
  'webhook_event',
  'observation',
  'message',
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
  /** Of the whole body, when `body_base64` holds only its start. */
  bytes: z.number().int().optional(),
  sha256: z.string().optional(),
  truncated: z.boolean().optional(),
});

export type DeadLetterKind = z.infer<typeof deadLetterKindSchema>;
export type DeadLetter = z.infer<typeof deadLetterSchema>;

/** A dead letter keeps at most so many bytes of a body. */
export const deadLetterBodyLimit = 2 * 1_048_576;

/**
 * What a dead letter keeps of a body: all of it, or its start with the size and, when all of it is there, its digest.
 * @param size bytes that came; more than those of `bytes` when the rest was dropped
 */
export const keptBody = (
  bytes: Uint8Array,
  size = bytes.byteLength,
): Pick<DeadLetter, 'body_base64' | 'bytes' | 'sha256' | 'truncated'> => {
  const kept = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, deadLetterBodyLimit));
  const body_base64 = kept.toString('base64');
  if (size === kept.byteLength) return { body_base64 };
  const digest = size === bytes.byteLength ? { sha256: hash('sha256', bytes) } : {};
  return { body_base64, bytes: size, ...digest, truncated: true };
};
