import type { Bus } from '@ranger-relay/bus';
import { type Context, createRateLimitedLog, endsWithin, repeat, shareFlight } from '@ranger-relay/runtime';

/** Compares the local clock with the platform, the bus and the build date. */
export interface ClockGuard {
  /** Why the local clock must be wrong; null when it may be right, or when this could not be decided for 10 minutes. */
  problem(): string | null;
  /** The latest time that has certainly passed, ms since 1970; the ingester checks the times of devices against it. */
  reference(): number;
  /** Stops the checks. */
  stop(): void;
}

export interface ClockGuardDependencies {
  readonly context: Pick<Context, 'service' | 'clock' | 'log' | 'metrics' | 'conditions'>;
  readonly bus: Pick<Bus, 'lastRecords'>;
  /** Topics whose last records are compared with the local clock. */
  readonly topics: readonly string[];
  /** The platform's time, ms since 1970; null while it is not known. */
  readonly platformTime: () => number | null;
  /** Makes one call to the platform, whose response contains its time. */
  readonly askPlatform: () => Promise<unknown>;
  /** ms since 1970. */
  readonly builtAt: number;
}

/**
 * Permitted difference between the clocks of an installation. A clock that is up to a day behind refuses no event, so a smaller value would only
 * stop harmless machines; an hour, the smallest time zone error, is more.
 */
const toleranceMs = 30 * 60_000;
const checkEveryMs = 60_000;
const recheckMs = 5_000;
const maxWaitMs = 5_000;
const askEveryMs = 60_000;
/** Without the platform's time the local clock may be right; refusing SOS events for longer would be the greater harm. */
const undecidedMs = 10 * 60_000;

/** Creates the guard; resolves after the first check, or after at most 10 s. */
export const createClockGuard = async (parts: ClockGuardDependencies): Promise<ClockGuard> => {
  const { bus, topics, platformTime, builtAt } = parts;
  const { service, clock, log, metrics, conditions } = parts.context;
  let seen = { wall: clock.now(), monotonic: clock.monotonic() };
  /** True when most last records on the bus are ahead of the local clock; `busTime` is the newest readable one. */
  let isBusAhead = false;
  let busTime = 0;
  let wrongSince: number | null = null;
  const limitedLog = createRateLimitedLog({ log, clock });
  let askedAt = -Infinity;
  let asking: Promise<void> | undefined;
  let stopped = false;

  const isConfirmed = (): boolean => {
    const theirs = platformTime();
    return theirs !== null && theirs - clock.now() <= toleranceMs;
  };
  const wasSetBack = (): boolean => clock.now() < seen.wall + (clock.monotonic() - seen.monotonic) - toleranceMs;

  /** Why the local clock seems to be behind. The platform's time overrides the build date and records of a clock that was ahead. */
  const suspicion = (): string | null => {
    if (isConfirmed()) return null;
    if (clock.now() < builtAt) return 'it is before the build date of this program';
    if (isBusAhead) return 'records on the bus are more than 30 minutes ahead of it';
    return wasSetBack() ? 'it was set back by more than 30 minutes' : null;
  };
  const isUndecided = (): boolean =>
    platformTime() === null && wrongSince !== null && clock.monotonic() - wrongSince >= undecidedMs;
  const problem = (): string | null => (isUndecided() ? null : suspicion());

  const report = (): void => {
    const found = suspicion();
    metrics.set('relay_clock_stale', found === null ? 0 : 1);
    wrongSince = found === null ? null : (wrongSince ?? clock.monotonic());
    if (found === null) return conditions.clear('clock_behind', service);
    const effect = isUndecided() ? 'accepts events all the same' : 'refuses all requests';
    conditions.set('clock_behind', service, { reason: found, effect });
  };

  /** A machine whose clock was ahead for a while leaves few last records that are ahead; on a machine that is behind, most of them are. */
  const compare = shareFlight(async (): Promise<void> => {
    const at = { wall: clock.now(), monotonic: clock.monotonic() };
    try {
      const found = await Promise.all(topics.map((topic) => bus.lastRecords(topic, at.wall + toleranceMs)));
      const newer = found.flatMap((each) => each.newer);
      const partitions = found.reduce((sum, each) => sum + each.partitions, 0);
      isBusAhead = newer.length * 2 > partitions;
      busTime = isBusAhead ? Math.max(...newer.map((each) => each ?? 0)) : 0;
      seen = at;
    } catch (error) {
      limitedLog.warn('bus', { err: error }, 'the clock could not be compared with the records on the bus');
    }
  });

  const askPlatform = shareFlight(async (): Promise<void> => {
    askedAt = clock.monotonic();
    try {
      await parts.askPlatform();
    } catch (error) {
      if (suspicion() !== null)
        limitedLog.warn('platform', { err: error }, 'the time of the platform could not be read');
    }
  });
  const ask = async (): Promise<void> => {
    if (clock.monotonic() - askedAt >= askEveryMs) asking = askPlatform();
    await asking;
  };

  /** Limits the wait for the bus and for the platform. */
  const limit = { clock, ms: maxWaitMs };
  const check = async (): Promise<void> => {
    await endsWithin(limit, compare());
    if (suspicion() !== null) await endsWithin(limit, ask());
    if (!stopped) report();
  };
  void ask();
  await check();
  const stopChecking = repeat({ clock, everyMs: () => (problem() === null ? checkEveryMs : recheckMs) }, check);

  return {
    problem,
    reference: () => Math.max(clock.now(), platformTime() ?? Math.max(builtAt, busTime)),
    stop() {
      stopped = true;
      void stopChecking();
    },
  };
};
