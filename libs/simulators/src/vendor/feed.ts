import { wait, type Clock } from '../time/clock.ts';

const second = 1_000;
const hour = 3_600 * second;
const maxWait = 128 * second;
const cycleMs = 12 * hour;
const cyclesUntilSuspended = 5;

/** Events older than this are dropped unsent. */
export const expiryMs = 5 * 24 * hour;

/** State of the vendor's feed to one customer. */
export interface FeedState {
  /** Failures in a row within this cycle. */
  readonly failures: number;
  /** First failure of this cycle, ms since 1970; null when none. */
  readonly cycleSince: number | null;
  /** Cycles of failure in a row that ended in a pause. */
  readonly cycles: number;
}

/** A feed without any failure: the start, and the state after every success. */
export const healthyFeed: FeedState = { failures: 0, cycleSince: null, cycles: 0 };

/** Behaviour after a failure. */
export interface AfterFailure {
  readonly feed: FeedState;
  readonly kind: 'retry' | 'pause';
  readonly waitMs: number;
}

/** The failure of a POST at `now`: wait 2, 4, 8 … 128 s, or pause 12 h when it has failed for 12 h. */
export const afterFailure = (feed: FeedState, now: number): AfterFailure => {
  const failures = feed.failures + 1;
  const cycleSince = feed.cycleSince ?? now;
  if (now - cycleSince >= cycleMs)
    return { feed: { ...healthyFeed, cycles: feed.cycles + 1 }, kind: 'pause', waitMs: cycleMs };
  return { feed: { ...feed, failures, cycleSince }, kind: 'retry', waitMs: Math.min(maxWait, 2 ** failures * second) };
};

/** After its last pause a feed stays suspended until a human asks for it. */
export const isSuspended = (feed: FeedState): boolean => feed.cycles >= cyclesUntilSuspended;

/** Whether a line sends, waits out a pause, or has given up until someone resumes it. */
export type LineState = 'active' | 'paused' | 'suspended';

/** The part of a line that waits: for work, for the next try, for a human. */
export interface LineWaits {
  readonly state: LineState;
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

  return {
    get state() {
      return state;
    },
    forWork: () => new Promise((resolve) => (wake = resolve)),
    stir: () => wake?.(),
    succeeded: () => void (feed = healthyFeed),
    async afterFailure() {
      const after = afterFailure(feed, clock.now());
      const { signal } = interrupt;
      feed = after.feed;
      if (after.kind === 'pause') state = 'paused';
      await wait(clock, after.waitMs, signal);
      if (signal.aborted) return;
      state = isSuspended(feed) ? 'suspended' : 'active';
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
