import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { z } from 'zod';

/** What a person decided about a dead letter. A letter without a mark is live. */
export interface LetterMark {
  readonly state: 'dropped' | 'replayed';
  /** ISO. */
  readonly at: string;
}

const prefix = 'dlq.';
/** As long as the topic keeps the letter itself. */
const keptMs = 30 * 86_400_000;

const markSchema = z.object({ state: z.enum(['dropped', 'replayed']), at: z.string() });

/** Notes the decision. @throws RelayError `kv_unavailable` */
export const markLetter = (state: KvSpace, clock: Clock, id: string, decision: LetterMark['state']): Promise<void> => {
  const mark: LetterMark = { state: decision, at: new Date(clock.now()).toISOString() };
  return state.set(prefix + id, JSON.stringify(mark), { ttlMs: keptMs });
};

/** Ids of letters that are not live any more. @throws RelayError `kv_unavailable` */
export const markedLetters = async (state: KvSpace): Promise<ReadonlySet<string>> =>
  new Set((await state.list(prefix)).map(({ key }) => key.slice(prefix.length)));

/** The decision about one letter; null when it is live. @throws RelayError `kv_unavailable` */
export const letterMark = async (state: KvSpace, id: string): Promise<LetterMark | null> => {
  const text = await state.get(prefix + id);
  return text === null ? null : markSchema.parse(JSON.parse(text));
};
