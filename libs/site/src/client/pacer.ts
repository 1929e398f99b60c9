import { type Clock, pause } from '@ranger-relay/runtime';
import type { Permit, RetryPolicy } from './client.ts';
import type { Loss, Losses } from './failure.ts';

/** A pause of all requests, as shown to the operator. */
export interface SiteWait {
  /** `METHOD host/path` of the request that caused the pause. */
  readonly target: string;
  readonly reason: string;
  readonly waitMs: number;
}

/** The options of a pacer. */
export interface PacerOptions {
  readonly clock: Clock;
  /** Maximum concurrent requests. */
  readonly inFlight: number;
  /** How long to wait through an outage of a site that has responded before, ms. */
  readonly patienceMs: number;
  readonly onPause: (wait: SiteWait) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Additional requests prepared while the maximum is in progress, so that a free connection is used immediately. */
const prepared = 2;
/** Maximum attempts for an address that has never responded. */
const maxFirstTries = 4;
const maxLostWaitMs = 15_000;
const maxAskedWaitMs = 60_000;
const throttledWaitMs = 5_000;
const minThrottledWaitMs = 1_000;
/** Responses per permitted concurrent request before the limit grows by one. */
const answersToWiden = 10;
/** Maximum consecutive pauses that a site may request without accepting a single request. */
const maxThrottles = 30;

/**
 * Creates the policy that all requests pause together, and wait through an outage until their patience is used up. After 429 it halves the
 * number of concurrent requests; the number grows again as the site responds.
 */
export const createPacer = ({ clock, inFlight, patienceMs, onPause, signal }: PacerOptions): RetryPolicy => {
  const waiting: ((permit: Permit) => void)[] = [];
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

  const pauseAll = async (wait: SiteWait): Promise<void> => {
    [pauses, paused] = [pauses + 1, true];
    onPause(wait);
    // An interrupt ends the pause; requests released afterwards are not sent.
    await pause(clock, wait.waitMs, signal);
    paused = false;
    admit();
  };

  const throttled = ({ retryAfterMs }: Loss): number | undefined => {
    throttles += 1;
    outage = undefined;
    [width, answersAtWidth] = [Math.max(1, Math.floor(width / 2)), 0];
    if (throttles > maxThrottles) return undefined;
    return Math.max(minThrottledWaitMs, retryAfterMs ?? throttledWaitMs);
  };

  const lost = ({ retryAfterMs }: Loss, { since, count }: Losses): number | undefined => {
    const now = clock.monotonic();
    outage ??= { since: now, waits: 0 };
    outage.waits += 1;
    const isOver = hasAnswered ? now - Math.min(since, outage.since) >= patienceMs : outage.waits >= maxFirstTries;
    if (isOver) return undefined;
    const wait = Math.min(1_000 * 2 ** (Math.max(outage.waits, count) - 1), maxLostWaitMs);
    return Math.max(wait, Math.min(retryAfterMs ?? 0, maxAskedWaitMs));
  };

  return {
    faultsAreOutages: false,
    async run(attempt) {
      const permit = await new Promise<Permit>((resolve) => {
        waiting.push(resolve);
        admit();
      });
      try {
        return await attempt(permit);
      } finally {
        running -= 1;
        admit();
      }
    },
    answered() {
      [hasAnswered, outage, throttles] = [true, undefined, 0];
      answersAtWidth += 1;
      if (width === inFlight || answersAtWidth < answersToWiden * width) return;
      [width, answersAtWidth] = [width + 1, 0];
      admit();
    },
    onLoss(permit, loss, losses) {
      if (loss.kind === 'throttled') hasAnswered = true;
      // The request was sent before a pause that another request caused meanwhile; it waits for that pause.
      if (permit.pauses < pauses) return loss.kind === 'throttled' || clock.monotonic() - losses.since < patienceMs;
      const waitMs = loss.kind === 'throttled' ? throttled(loss) : lost(loss, losses);
      if (waitMs === undefined) return false;
      void pauseAll({ target: loss.target, reason: loss.reason, waitMs });
      return true;
    },
  };
};
