import type { Platform } from '@ranger-relay/platform';
import type { Clock, Logger } from '@ranger-relay/runtime';

/**
 * The time for what cannot be taken back, ms since 1970: the earlier of our clock and the platform's, so that neither of them that is ahead makes
 * anything too old. Null while the platform's is not known.
 */
export type BelievedTime = () => number | null;

/** What the time is made of. */
export interface BelievedTimeDependencies {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly platform: Pick<Platform, 'time' | 'askTime'>;
  readonly log: Pick<Logger, 'debug'>;
}

const askEveryMs = 60_000;

/** Makes the time; the platform is asked for its own when that is wanted and not known, at most once a minute. */
export const createBelievedTime = ({ clock, platform, log }: BelievedTimeDependencies): BelievedTime => {
  let askedAt = -Infinity;
  return () => {
    const theirs = platform.time();
    if (theirs !== null) return Math.min(clock.now(), theirs);
    if (clock.monotonic() - askedAt >= askEveryMs) {
      askedAt = clock.monotonic();
      platform
        .askTime()
        .catch((error: unknown) => log.debug({ err: error }, 'the platform could not be asked for its time'));
    }
    return null;
  };
};

/** Whether more than `ms` have passed since a moment, as far as that is known. */
export const isOlder = (since: number, ms: number, time: BelievedTime): boolean => {
  const now = time();
  return now !== null && now - since > ms;
};
