import type { KvSpace } from '@ranger-relay/kv';
import { isAhead } from './due.ts';
import { schedulerKey, schedulerKeyBefore } from './keys.ts';

/** Up to when the schedules were published, as it stands in the store. */
export interface Mark {
  /** ms since 1970; null when there is none that can be read. */
  readonly at: number | null;
  readonly text: string | null;
}

/** @throws RelayError `kv_unavailable` */
export const readMark = async (state: KvSpace, slug: string): Promise<Mark> => {
  const [text, before] = await Promise.all([state.get(schedulerKey.mark(slug)), state.get(schedulerKeyBefore.mark)]);
  const at = Date.parse(text ?? before ?? '');
  return { at: Number.isNaN(at) ? null : at, text };
};

/**
 * Moves the mark forward to `now`, unless another has moved it since it was read; backwards only when a clock that was ahead has set it.
 * @throws RelayError `kv_unavailable`
 */
export const moveMark = async (state: KvSpace, slug: string, { at, text }: Mark, now: number): Promise<void> => {
  if (text !== null && at !== null && at >= now && !isAhead(at, now)) return;
  const next = new Date(now).toISOString();
  if (text === null) await state.setIfAbsent(schedulerKey.mark(slug), next);
  else await state.compareAndSet(schedulerKey.mark(slug), text, next);
};
