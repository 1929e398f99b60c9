import type { Bus } from '@ranger-relay/bus';
import type { Platform } from '@ranger-relay/platform';
import { buildTime, type Context, createRateLimitedLog, endsWithin, repeat, shareFlight } from '@ranger-relay/runtime';

/** Compares the local clock with the platform, the bus and the build date. */
export interface ClockGuard {
  /** Why the local clock must be wrong; null when it may be right, or when this could not be decided for 10 minutes. */
  problem(): string | null;
  /** The latest time that has certainly passed, ms since 1970; the ingester checks the times of devices against it. */
  reference(): number;
}

/** Dependencies of the guard. */
interface ClockGuardDependencies {
  readonly bus: Pick<Bus, 'lastRecords'>;
  /** Topics of a process that refuses requests by a wrong clock: their last records are compared with it, too. */
  readonly topics?: readonly string[];
  readonly platform: Pick<Platform, 'time' | 'askTime'>;
  /** ms since 1970. */
  readonly builtAt?: number;
}

/**
 * Permitted difference between the clocks of an installation. A clock that is up to a day behind refuses no event, so a smaller value would only
 * stop harmless machines; an hour, the smallest time zone error, is more.
 */
const toleranceMs = 30 * 60_000;
/** From this difference to the platform on, events count as too old or in the future. */
const toldMs = 10 * 60_000;
const checkEveryMs = 60_000;
const recheckMs = 5_000;
const maxWaitMs = 5_000;
const askEveryMs = 60_000;
/** Without the platform's time the local clock may be right; refusing SOS events for longer would be the greater harm. */
const undecidedMs = 10 * 60_000;

const spanText = (ms: number): string => {
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
};

/**
 * Creates the guard of a process: it sets and clears `clock_wrong`. Resolves after the first check, or after at most 10 s; its checks end with the
 * process.
 */
export const createClockGuard = async (
  {
    service,
    clock,
    log,
    conditions,
    lifecycle,
  }: Pick<Context, 'service' | 'clock' | 'log' | 'conditions' | 'lifecycle'>,
  { bus, topics = [], platform, builtAt = buildTime }: ClockGuardDependencies,
): Promise<ClockGuard> => {
  let seen = { wall: clock.now(), monotonic: clock.monotonic() };
  /** True when most last records on the bus are ahead of the local clock; `busTime` is the newest readable one. */
  let isBusAhead = false;
  let busTime = 0;
  let wrongSince: number | null = null;
  const limitedLog = createRateLimitedLog({ log, clock });
  let askedAt = -Infinity;
  let asking: Promise<void> | undefined;
  /** Whether the platform answered when it was asked last. */
  let isAnswered = false;
  let stopped = false;

  const isConfirmed = (): boolean => {
    const theirs = platform.time();
    return theirs !== null && theirs - clock.now() <= toleranceMs;
  };
  /** How far the local clock was set ahead since the last check, ms. */
  const jump = (): number => clock.now() - seen.wall - (clock.monotonic() - seen.monotonic);
  const wasSetBack = (): boolean => jump() < -toleranceMs;

  /** Why the local clock seems to be behind. The platform's time overrides the build date and records of a clock that was ahead. */
  const suspicion = (): string | null => {
    if (isConfirmed()) return null;
    if (clock.now() < builtAt) return 'it is before the build date of this program';
    if (isBusAhead) return 'records on the bus are more than 30 minutes ahead of it';
    return wasSetBack() ? 'it was set back by more than 30 minutes' : null;
  };
  const isUndecided = (): boolean =>
    platform.time() === null && wrongSince !== null && clock.monotonic() - wrongSince >= undecidedMs;
  const problem = (): string | null => (isUndecided() ? null : suspicion());

  /** How far the platform's clock is from ours; devices are then judged by the later one, so nothing is refused for it. */
  const difference = (): string | null => {
    const ahead = clock.now() - (platform.time() ?? clock.now());
    if (Math.abs(ahead) < toldMs) return null;
    return `it is ${spanText(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} that of the platform`;
  };
  const effect = (): string => {
    if (topics.length === 0) return '';
    return problem() === null ? 'accepts events all the same' : 'refuses all requests';
  };
  const report = (): void => {
    const doubt = suspicion();
    wrongSince = doubt === null ? null : (wrongSince ?? clock.monotonic());
    const reason = doubt ?? difference();
    // A machine that slept has an old time of the platform: without a new one nothing is known.
    if (doubt === null && reason !== null && !isAnswered) return;
    if (reason === null) conditions.clear('clock_wrong', service);
    else conditions.set('clock_wrong', service, { reason, effect: effect() });
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
    isAnswered = false;
    try {
      await platform.askTime();
      isAnswered = true;
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
  let checkedAt = -Infinity;
  const check = async (): Promise<void> => {
    checkedAt = clock.monotonic();
    await endsWithin(limit, compare());
    if (suspicion() !== null) await endsWithin(limit, ask());
    else if (difference() !== null) await endsWithin(limit, askPlatform());
    if (!stopped) report();
  };
  void ask();
  await check();
  const isDue = (): boolean =>
    wrongSince !== null || Math.abs(jump()) >= toldMs || clock.monotonic() - checkedAt >= checkEveryMs;
  const stopChecking = repeat({ clock, everyMs: recheckMs }, () => (isDue() ? check() : undefined));
  lifecycle.onStop('clock guard', () => {
    stopped = true;
    void stopChecking();
  });

  return {
    problem,
    reference: () => Math.max(clock.now(), platform.time() ?? Math.max(builtAt, busTime)),
  };
};
