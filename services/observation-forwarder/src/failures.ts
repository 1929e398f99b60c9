import type { RelayError } from '@ranger-relay/errors';
import { delayFor, type Backoff, type Clock, type Random } from '@ranger-relay/runtime';

/** How the sending of one integration goes, seen from this process. Times are monotonic, ms. */
interface Run {
  failingSince: number | undefined;
  confined: boolean;
  failures: number;
  retryAt: number;
  lastSuccess: number;
}

/** What holds for an integration that fails: when to try again, and whether its events should make room for others. */
export interface Verdict {
  readonly afterMs: number;
  readonly park: boolean;
}

/** Remembers who fails and who succeeds, to tell an integration's own trouble from an outage. */
export interface Failures {
  /** Integrations whose waits may end now: the one itself, and those whom the same outage held. */
  succeeded(integrationId: string): readonly string[];
  /** Takes a failure; failures of one waiting time count once, however many lanes report them. */
  failed(integrationId: string, error: RelayError): Verdict;
  /** The standing verdict while the integration waits; undefined when it may be tried. */
  waiting(integrationId: string): Verdict | undefined;
}

const outage: Backoff = { baseMs: 1_000, maxMs: 60_000, jitterMs: 500 };
const refusedKey: Backoff = { baseMs: 30_000, maxMs: 600_000, jitterMs: 5_000 };
/** A confined fault needs no waiting to be told from an outage: others that worked lately are proof. */
const confinedProofMs = 60_000;

const well = (): Run => ({ failingSince: undefined, confined: false, failures: 0, retryAt: 0, lastSuccess: -Infinity });

/**
 * Tracks failures per integration. An integration is to be parked when it has failed for `parkAfterMs` while others succeeded in that
 * time; when nothing succeeds its lanes wait (device contract, forwarder: transient).
 */
export const createFailures = (clock: Clock, random: Random, parkAfterMs: number): Failures => {
  const runs = new Map<string, Run>();

  const runOf = (id: string): Run => {
    const run = runs.get(id) ?? well();
    runs.set(id, run);
    return run;
  };

  const othersWorkedSince = (id: string, since: number): boolean => {
    for (const [other, run] of runs) if (other !== id && run.lastSuccess >= since) return true;
    return false;
  };

  const verdict = (id: string, run: Run, now: number): Verdict => {
    const since = run.failingSince ?? now;
    const proven = othersWorkedSince(id, run.confined ? since - confinedProofMs : since);
    const waited = run.confined || now - since >= parkAfterMs;
    return { afterMs: Math.max(0, run.retryAt - now), park: proven && waited };
  };

  return {
    succeeded(id) {
      const now = clock.monotonic();
      const run = runOf(id);
      const wasFailing = run.failingSince !== undefined;
      runs.set(id, { ...well(), lastSuccess: now });
      if (!wasFailing) return [];
      const held = [...runs].filter(([, other]) => other.failingSince !== undefined && !other.confined);
      for (const [, other] of held) other.retryAt = now;
      return [id, ...held.map(([other]) => other)];
    },

    failed(id, error) {
      const now = clock.monotonic();
      const run = runOf(id);
      if (run.failingSince !== undefined && now < run.retryAt) return verdict(id, run, now);
      run.failingSince ??= now;
      run.confined = error.confined;
      const delay = delayFor(error.confined ? refusedKey : outage, run.failures, random);
      run.retryAt = now + Math.max(delay, error.retryAfterMs ?? 0);
      run.failures += 1;
      return verdict(id, run, now);
    },

    waiting(id) {
      const run = runs.get(id);
      const now = clock.monotonic();
      return run?.failingSince !== undefined && now < run.retryAt ? verdict(id, run, now) : undefined;
    },
  };
};
