import { wait, type Clock } from '../time/clock.ts';
import { afterFailure, healthyFeed, isSuspended, type FeedState } from './feed.ts';

/** Whether a line sends, waits out a pause, or has given up until someone resumes it. */
export type LineState = 'active' | 'paused' | 'suspended';

/** The part of a line that waits: for work, for the next try, for a human. */
export interface LineWaits {
  readonly state: LineState;
  readonly feed: FeedState;
  /** Until `stir` is called. */
  forWork(): Promise<void>;
  /** After a failure: the vendor's wait or pause, or until resumed when that was the last one. */
  afterFailure(): Promise<void>;
  succeeded(): void;
  /** Ends a wait for work. */
  stir(): void;
  /** Ends every wait and forgets all failures. */
  resume(): void;
}

/** Makes the waits of one line. */
export const createWaits = (clock: Clock): LineWaits => {
  let feed = healthyFeed;
  let state: LineState = 'active';
  let wake: (() => void) | undefined;
  let interrupt = new AbortController();
  const sleep = (): Promise<void> => new Promise((resolve) => (wake = resolve));

  return {
    get state() {
      return state;
    },
    get feed() {
      return feed;
    },
    forWork: sleep,
    stir: () => wake?.(),
    succeeded: () => void (feed = healthyFeed),
    async afterFailure() {
      const after = afterFailure(feed, clock.now());
      const { signal } = interrupt;
      feed = after.feed;
      if (after.kind === 'pause') state = 'paused';
      await wait(clock, after.waitMs, signal);
      if (signal.aborted) return;
      state = isSuspended(feed) && after.kind === 'pause' ? 'suspended' : 'active';
      if (state === 'suspended')
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    },
    resume() {
      feed = healthyFeed;
      state = 'active';
      interrupt.abort();
      interrupt = new AbortController();
      wake?.();
    },
  };
};
