import type { Bus } from '@ranger-relay/bus';
import type { Clock, Logger, Timer } from '@ranger-relay/runtime';

/** Tells whether our clock can be right, by what others have written down. */
export interface ClockGuard {
  /** Why it cannot; null when it can. */
  problem(): string | null;
  /** The later of our time and the platform's, ms since 1970: what devices say is judged by it. */
  reference(): number;
  /** Looks no more. */
  stop(): void;
}

/** What the guard looks at. */
export interface ClockGuardParts {
  readonly bus: Pick<Bus, 'hasNewer'>;
  /** Topics whose newest records are compared with our clock. */
  readonly topics: readonly string[];
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn' | 'error' | 'info'>;
  /** The platform's time, ms since 1970; null while it is not known. */
  readonly platformTime: () => number | null;
  /** ms since 1970. */
  readonly builtAt: number;
}

/**
 * Clocks of one installation may differ by so much. Up to a day behind no event is refused, so less would only stop machines that do no harm; an hour,
 * the least mistake of a time zone, is more.
 */
const toleranceMs = 30 * 60_000;
const lookEveryMs = 60_000;
const lookAgainMs = 5_000;
const firstLookMs = 5_000;

/** Makes the guard; resolves after the first look, or after 5 s without one. */
export const createClockGuard = async (parts: ClockGuardParts): Promise<ClockGuard> => {
  const { bus, topics, clock, log, platformTime, builtAt } = parts;
  let seen = { wall: clock.now(), monotonic: clock.monotonic() };
  let newerRecords = false;
  let told: string | null = null;
  let stopped = false;
  let timer: Timer | undefined;

  const isConfirmed = (): boolean => {
    const theirs = platformTime();
    return theirs !== null && Math.abs(theirs - clock.now()) <= toleranceMs;
  };
  const wasSetBack = (): boolean => clock.now() < seen.wall + (clock.monotonic() - seen.monotonic) - toleranceMs;

  const problem = (): string | null => {
    if (clock.now() < builtAt) return 'it is before the day on which this program was built';
    // Records of a clock that once was ahead must not stop a machine that the platform confirms.
    if (isConfirmed()) return null;
    if (newerRecords) return 'records on the bus are more than 30 minutes ahead of it';
    return wasSetBack() ? 'it was set back by more than 30 minutes' : null;
  };

  const tell = (): void => {
    const now = problem();
    if (now === told) return;
    if (now === null) log.info({}, 'the clock of this machine can be right again');
    else log.error({ problem: now }, 'the clock of this machine is behind: nothing is taken until it is right');
    told = now;
  };

  const look = async (): Promise<void> => {
    const at = { wall: clock.now(), monotonic: clock.monotonic() };
    try {
      const newer = await Promise.all(topics.map((topic) => bus.hasNewer(topic, at.wall + toleranceMs)));
      newerRecords = newer.includes(true);
      seen = at;
    } catch (error) {
      log.warn({ err: error }, 'the clock could not be compared with the records on the bus');
    }
    tell();
  };

  const lookOn = async (): Promise<void> => {
    await look();
    if (!stopped) timer = clock.after(told === null ? lookEveryMs : lookAgainMs, () => void lookOn());
  };
  const first = Promise.withResolvers<void>();
  timer = clock.after(firstLookMs, first.resolve);
  await Promise.race([lookOn(), first.promise]);

  return {
    problem,
    reference: () => Math.max(clock.now(), platformTime() ?? 0),
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
};
