import type { Platform } from '@ranger-relay/platform';
import type { Clock, Logger } from '@ranger-relay/runtime';

/**
 * The time for decisions that cannot be undone, ms since 1970: the earlier of the local clock and the platform's clock, so that a clock
 * that is ahead makes nothing expire early. Null while the platform's time is unknown.
 */
export type BelievedTime = () => number | null;

/** The dependencies of the believed time. */
export interface BelievedTimeDependencies {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly platform: Pick<Platform, 'time' | 'askTime'>;
  readonly log: Pick<Logger, 'debug'>;
}

const askEveryMs = 60_000;

/** Creates the believed time; asks the platform for its time when it is needed and unknown, at most once a minute. */
export const createBelievedTime = ({ clock, platform, log }: BelievedTimeDependencies): BelievedTime => {
  let askedAt = -Infinity;
  return () => {
    const theirs = platform.time();
    if (theirs !== null) return Math.min(clock.now(), theirs);
    if (clock.monotonic() - askedAt >= askEveryMs) {
      askedAt = clock.monotonic();
      platform
        .askTime()
        .catch((error: unknown) => log.debug({ err: error }, 'the time of the platform could not be read'));
    }
    return null;
  };
};

/** Whether more than `ms` have certainly passed since a moment. */
export const isOlder = (since: number, ms: number, time: BelievedTime): boolean => {
  const now = time();
  return now !== null && now - since > ms;
};
