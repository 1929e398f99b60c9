import type { KvSpace } from '@ranger-relay/kv';
import { z } from 'zod';

/** Items that the platform accepted from one integration. */
export interface AcceptedCount {
  readonly observations: number;
  readonly messages: number;
  /** ISO. */
  readonly last_event_at: string | null;
}

const prefix = 'accepted.';

const countSchema = z.object({
  observations: z.number(),
  messages: z.number(),
  last_event_at: z.string().nullable(),
});

const parse = (text: string): AcceptedCount | undefined => {
  try {
    return countSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

/** The later of two ISO times. */
export const later = (a: string | null, b: string | null): string | null => {
  if (a === null || b === null) return a ?? b;
  return Date.parse(a) >= Date.parse(b) ? a : b;
};

/**
 * Sums the counts that the forwarder keeps by integration and partition (`accepted.{integration_id}.{part}`).
 * @throws RelayError `kv_unavailable`
 */
export const acceptedCounts = async (state: KvSpace): Promise<Map<string, AcceptedCount>> => {
  const sums = new Map<string, AcceptedCount>();
  for (const { key, value } of await state.list(prefix)) {
    const end = key.lastIndexOf('.');
    const count = parse(value);
    if (end <= prefix.length || !count) continue;
    const id = key.slice(prefix.length, end);
    const sum = sums.get(id);
    sums.set(id, {
      observations: (sum?.observations ?? 0) + count.observations,
      messages: (sum?.messages ?? 0) + count.messages,
      last_event_at: later(sum?.last_event_at ?? null, count.last_event_at),
    });
  }
  return sums;
};
