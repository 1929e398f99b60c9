import { parseExactJson, RelayError } from '@ranger-relay/errors';
import { z } from 'zod';

const decoder = new TextDecoder('utf-8', { fatal: true });

const isNewer = z.looseObject({ v: z.int().gt(1) });

const unreadable = (topic: string, problem: string): RelayError =>
  new RelayError('record_unreadable', { details: { topic, problem } });

const parse = (topic: string, value: Uint8Array): unknown => {
  try {
    return parseExactJson(decoder.decode(value));
  } catch {
    throw unreadable(topic, 'not JSON');
  }
};

/**
 * Reads the value of a record of the first version of its form.
 * @throws RelayError `record_newer` when a newer version wrote it; `record_unreadable` when it is not JSON, or does not fit
 */
export const readRecord = <T>(
  { topic, value: bytes }: { readonly topic: string; readonly value: Uint8Array },
  schema: z.ZodType<T>,
): T => {
  const value = parse(topic, bytes);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { data: newer } = isNewer.safeParse(value);
  if (newer) throw new RelayError('record_newer', { details: { topic, version: newer.v } });
  const where = parsed.error.issues[0]?.path.join('.') ?? '';
  throw unreadable(topic, `${where || 'the value'} does not fit`);
};
