import type { Clock } from '@ranger-relay/runtime';

/** A pause of all requests, for whoever sits in front of it. */
export interface SiteWait {
  /** `METHOD host/path` of the request that met the cause. */
  readonly target: string;
  readonly reason: string;
  readonly waitMs: number;
}

/** A request that the site did not answer, or answered with 429. */
export interface Setback extends Pick<SiteWait, 'target' | 'reason'> {
  readonly kind: 'lost' | 'throttled';
  /** Milliseconds that the site asked to wait. */
  readonly retryAfterMs: number | undefined;
}

/** A request that has left. */
export interface Pass {
  /** Pauses that there had been when it left. */
  readonly pauses: number;
}

/** How often the same request was lost before, and since when. */
export interface Losses {
  /** Monotonic milliseconds. */
  readonly since: number;
  readonly count: number;
}

/** Decides when requests leave: so many at a time, and none during a pause, which all of them share. */
export interface Pacer {
  enter(): Promise<Pass>;
  leave(): void;
  /** The site has answered. */
  answered(): void;
  /** Pauses all requests after a setback. @returns whether the request may be sent again */
  setBack(pass: Pass, setback: Setback, losses: Losses): boolean;
}

/** How requests are paced. */
export interface PacerOptions {
  readonly clock: Clock;
  /** Most requests under way at a time. */
  readonly inFlight: number;
  /** How long an outage of the site is waited for, once it has answered. */
  readonly patienceMs: number;
  readonly onPause: (wait: SiteWait) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Requests that are made ready while as many as may be are under way: a connection that becomes free is used at once. */
const prepared = 2;
/** Tries of an address that has never answered. */
const maxFirstTries = 4;
const maxLostWaitMs = 15_000;
const maxAskedWaitMs = 60_000;
const throttledWaitMs = 5_000;
const minThrottledWaitMs = 1_000;
/** Answers, for each request that may be under way, before one more may. */
const answersToWiden = 10;
/** Pauses that a site may ask for, one after the other, without having let a single request through. */
const maxThrottles = 30;

/** Makes a pacer. After 429 half as many requests leave at a time; the width grows back as the site answers. */
export const createPacer = ({ clock, inFlight, patienceMs, onPause, signal }: PacerOptions): Pacer => {
  const waiting: ((pass: Pass) => void)[] = [];
  let [running, width, answersAtWidth] = [0, inFlight, 0];
  let [pauses, paused] = [0, false];
  let hasAnswered = false;
  let outage: { since: number; waits: number } | undefined;
  let throttles = 0;

  const places = (): number => (width === inFlight ? inFlight + prepared : width);
  const admit = (): void => {
    if (paused) return;
    for (const next of waiting.splice(0, Math.max(0, places() - running))) {
      running += 1;
      next({ pauses });
    }
  };

  const pause = async (wait: SiteWait): Promise<void> => {
    [pauses, paused] = [pauses + 1, true];
    onPause(wait);
    // An interrupt ends the pause; what leaves then is not sent.
    await clock.sleep(wait.waitMs, signal).catch(() => undefined);
    paused = false;
    admit();
  };

  const throttled = ({ retryAfterMs }: Setback): number | undefined => {
    throttles += 1;
    outage = undefined;
    [width, answersAtWidth] = [Math.max(1, Math.floor(width / 2)), 0];
    if (throttles > maxThrottles) return undefined;
    return Math.max(minThrottledWaitMs, retryAfterMs ?? throttledWaitMs);
  };

  const lost = ({ retryAfterMs }: Setback, { since, count }: Losses): number | undefined => {
    const now = clock.monotonic();
    outage ??= { since: now, waits: 0 };
    outage.waits += 1;
    const isOver = hasAnswered ? now - Math.min(since, outage.since) >= patienceMs : outage.waits >= maxFirstTries;
    if (isOver) return undefined;
    const wait = Math.min(1_000 * 2 ** (Math.max(outage.waits, count) - 1), maxLostWaitMs);
    return Math.max(wait, Math.min(retryAfterMs ?? 0, maxAskedWaitMs));
  };

  return {
    enter: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        admit();
      }),
    leave() {
      running -= 1;
      admit();
    },
    answered() {
      [hasAnswered, outage, throttles] = [true, undefined, 0];
      answersAtWidth += 1;
      if (width === inFlight || answersAtWidth < answersToWiden * width) return;
      [width, answersAtWidth] = [width + 1, 0];
      admit();
    },
    setBack(pass, setback, losses) {
      if (setback.kind === 'throttled') hasAnswered = true;
      // It left before a pause that others have caused meanwhile: that one is waited for.
      if (pass.pauses < pauses) return setback.kind === 'throttled' || clock.monotonic() - losses.since < patienceMs;
      const waitMs = setback.kind === 'throttled' ? throttled(setback) : lost(setback, losses);
      if (waitMs === undefined) return false;
      void pause({ target: setback.target, reason: setback.reason, waitMs });
      return true;
    },
  };
};
