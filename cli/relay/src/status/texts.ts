import type { KvSpace } from '@ranger-relay/kv';
import { z } from 'zod';
import type { TextCounts } from './model.ts';

const prefix = 'push.';

const entrySchema = z.looseObject({
  state: z.enum(['pending', 'sending', 'accepted', 'failed', 'unknown']),
  updated_at: z.string(),
  first_seen_at: z.string().optional(),
  /** A copy under the key of the last release is no text of its own. */
  copy_of: z.undefined().optional(),
});

const parse = (text: string): z.infer<typeof entrySchema> | undefined => {
  try {
    return entrySchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

/**
 * Counts texts to devices in the ledger of the message pusher (`push.…`), one for each device; it holds eight days.
 * @throws RelayError `kv_unavailable`
 */
export const textCounts = async (state: KvSpace, now: number): Promise<TextCounts> => {
  const counts = { accepted: 0, failed: 0, pending: 0, unknown: 0 };
  let oldest = now;
  for (const { value } of await state.list(prefix)) {
    const entry = parse(value);
    if (!entry) continue;
    const kind = entry.state === 'sending' ? 'pending' : entry.state;
    counts[kind] += 1;
    const since = Date.parse(entry.first_seen_at ?? entry.updated_at);
    if ((kind === 'pending' || kind === 'unknown') && since < oldest) oldest = since;
  }
  return { ...counts, oldest_undecided_seconds: Math.round((now - oldest) / 100) / 10 };
};
