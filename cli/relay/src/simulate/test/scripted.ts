import { manualClock, type ManualClock, seededRandom } from '@ranger-relay/runtime/testing';
import type { DeliverDependencies, Post, PostAnswer } from '../post.ts';
import { createCounting } from '../tally.ts';

/** An answer of the ingester. */
export const answered = (status: number, more: { body?: object; retryAfterMs?: number } = {}): PostAnswer => ({
  status,
  body: JSON.stringify(more.body ?? { total_observations: 1, total_messages: 0 }),
  retryAfterMs: more.retryAfterMs,
});

/** No answer came. */
export const broken: PostAnswer = { status: null, reason: 'ECONNRESET' };

/** An ingester that answers as written down, and what is needed to send to it. */
export interface Scripted extends DeliverDependencies {
  readonly clock: ManualClock;
  readonly parts: DeliverDependencies;
  /** What was sent, ms after the start. */
  readonly sent: readonly { readonly body: string; readonly at: number }[];
  abort(): void;
}

/** A scripted ingester: answers in turn, the last one for ever, each after `takesMs`. */
export const scripted = (answers: readonly PostAnswer[], takesMs = 0): Scripted => {
  const clock = manualClock();
  const controller = new AbortController();
  const sent: { body: string; at: number }[] = [];
  const start = clock.monotonic();
  const post: Post = async (body, signal) => {
    sent.push({ body, at: clock.monotonic() - start });
    const answer = answers[Math.min(sent.length, answers.length) - 1] as PostAnswer;
    if (takesMs > 0) await clock.sleep(takesMs, signal).catch(() => undefined);
    return signal.aborted ? { status: null, reason: 'AbortError' } : answer;
  };
  const parts = { post, clock, random: seededRandom(1), counting: createCounting(), signal: controller.signal };
  return { ...parts, parts, sent, abort: () => controller.abort() };
};
