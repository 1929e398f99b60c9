const second = 1_000;
const hour = 3_600 * second;
const maxWait = 128 * second;
const cycleMs = 12 * hour;
const cyclesUntilSuspended = 5;
const firstMailMs = hour / 2;
const mailEveryMs = 12 * hour;

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
  /** First failure since the last success. */
  readonly failingSince: number | null;
  /** Mails to the customer about this failure. */
  readonly mails: number;
}

/** A feed without any failure: the start, and the state after every success. */
export const healthyFeed: FeedState = { failures: 0, cycleSince: null, cycles: 0, failingSince: null, mails: 0 };

/** Behaviour after a failure. */
export interface AfterFailure {
  readonly feed: FeedState;
  readonly kind: 'retry' | 'pause';
  readonly waitMs: number;
}

const mailsDue = (failingMs: number): number =>
  failingMs < firstMailMs ? 0 : 1 + Math.floor((failingMs - firstMailMs) / mailEveryMs);

/** The failure of a POST at `now`: wait 2, 4, 8 … 128 s, or pause 12 h when it has failed for 12 h. */
export const afterFailure = (feed: FeedState, now: number): AfterFailure => {
  const failures = feed.failures + 1;
  const cycleSince = feed.cycleSince ?? now;
  const failingSince = feed.failingSince ?? now;
  const mails = mailsDue(now - failingSince);
  if (now - cycleSince >= cycleMs) {
    const cycles = feed.cycles + 1;
    return { feed: { failures: 0, cycleSince: null, cycles, failingSince, mails }, kind: 'pause', waitMs: cycleMs };
  }
  const waitMs = failures > 7 ? maxWait : Math.min(maxWait, 2 ** failures * second);
  return { feed: { ...feed, failures, cycleSince, failingSince, mails }, kind: 'retry', waitMs };
};

/** After its last pause a feed stays suspended until a human asks for it. */
export const isSuspended = (feed: FeedState): boolean => feed.cycles >= cyclesUntilSuspended;
