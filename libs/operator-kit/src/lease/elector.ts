import { RelayError, toRelayError } from '@ranger-relay/errors';
import {
  type Clock,
  createRateLimitedLog,
  endsWithin,
  type Logger,
  type MetricName,
  type Metrics,
  pause,
  type Random,
} from '@ranger-relay/runtime';
import { keyOf, type ObjectRef } from '../api/object.ts';
import type { KubeApi } from '../api/port.ts';
import { jittered } from '../jittered.ts';
import type { Term } from '../reconcile/term.ts';
import { type Acquired, createLock } from './lock.ts';
import { leaseTimes, type LeaseTimes } from './record.ts';

interface LeadershipTermOptions {
  readonly clock: Clock;
  /** Monotonic time until which the lease is valid. */
  readonly until: number;
  /** Creates the error for a term that was not extended in time. */
  readonly expired: () => Error;
}

/** A period in which this process is the leader. */
interface LeadershipTerm {
  readonly term: Term;
  /** Aborted when the term has expired or ended. */
  readonly over: AbortSignal;
  /** Whether the lease is valid now. */
  holds(): boolean;
  extend(until: number): void;
  /** Asks the work to end gracefully. */
  stop(): void;
  /** Reports that another process may lead from now on. */
  expire(reason: Error): void;
  /** Reports that the work has ended. */
  end(): void;
}

/** Begins a term; it expires by itself unless it is extended. */
const createLeadershipTerm = ({ clock, until: first, expired }: LeadershipTermOptions): LeadershipTerm => {
  const stopping = new AbortController();
  const lost = new AbortController();
  const over = new AbortController();
  let until = first;

  const end = (): void => {
    timer.cancel();
    over.abort(new Error('the term has ended'));
  };
  const expire = (reason: Error): void => {
    if (over.signal.aborted) return;
    end();
    lost.abort(reason);
  };
  const arm = () => clock.after(Math.max(0, until - clock.monotonic()), () => expire(expired()));
  let timer = arm();

  return {
    term: { stopping: stopping.signal, lost: lost.signal },
    over: over.signal,
    holds: () => !over.signal.aborted && clock.monotonic() < until,
    extend(later) {
      if (over.signal.aborted || later <= until) return;
      until = later;
      timer.cancel();
      timer = arm();
    },
    stop: () => stopping.abort(new Error('the elector stops')),
    expire,
    end,
  };
};

export interface ElectorOptions {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Pick<Metrics<MetricName>, 'set'>;
  readonly lease: ObjectRef;
  /** Unique identity of this process. Must contain a random part, so that it differs from an earlier process of the same pod. */
  readonly identity: string;
  /**
   * The work of the leader. Called once per term, never while an earlier call runs. Must stop at once when `lost` is aborted. The elector
   * releases the lease only after the work has ended.
   */
  readonly lead: (term: Term) => Promise<void>;
  readonly times?: Partial<LeaseTimes>;
}

/** A candidate for leadership. */
export interface Elector {
  start(): void;
  /** True only while no other process can lead, judged by the local clock, not by timers. */
  leading(): boolean;
  /**
   * Asks `lead` to end gracefully, renews the lease meanwhile, and then releases it. After `graceMs` it aborts `lead` and lets the lease
   * expire. Resolves in either case.
   */
  stop(graceMs: number): Promise<void>;
}

const shareOfJitter = 0.2;

/** Creates an elector; it does nothing before `start`. */
export const createElector = (options: ElectorOptions): Elector => {
  const { api, clock, random, log, metrics, lease: ref, identity, lead } = options;
  const times = leaseTimes(options.times);
  const name = keyOf(ref);
  const lock = createLock({ api, clock, lease: ref, identity, times });
  const limitedLog = createRateLimitedLog({ log, clock });
  const end = new AbortController();
  let leadership: LeadershipTerm | undefined;
  let running: Promise<void> | undefined;

  const tell = (leads: boolean, text: string): void => {
    metrics.set('relay_leader', leads ? 1 : 0, { lease: ref.name });
    log.info({ lease: name, identity }, text);
  };

  /** Tries to acquire the lease; a failure does not tell who holds it. */
  const attempt = async (signal: AbortSignal): Promise<Acquired> => {
    try {
      return await lock.acquire(leadership?.holds() ?? false, signal);
    } catch (error) {
      const { code } = toRelayError(error);
      if (!signal.aborted) limitedLog.warn(code, { lease: name, code }, 'the lease could not be reached');
      return { kind: 'open' };
    }
  };

  const pauseFor = (signal: AbortSignal): Promise<void> =>
    pause(clock, jittered(times.retryMs, shareOfJitter, random), signal);

  const lostError = (reason: string): RelayError =>
    new RelayError('kube_lease_lost', { details: { lease: name, reason } });

  /** Renews until the work has ended or the lease is lost. */
  const keep = async (present: LeadershipTerm): Promise<void> => {
    for (;;) {
      await pauseFor(present.over);
      if (present.over.aborted) return;
      const renewed = await attempt(present.over);
      if (renewed.kind === 'held') present.extend(renewed.until);
      if (renewed.kind === 'foreign') present.expire(lostError('another one has taken it'));
    }
  };

  const work = async (term: Term): Promise<void> => {
    try {
      await lead(term);
    } catch (error) {
      if (!term.lost.aborted) log.error({ lease: name, err: error }, 'the work of the leader failed');
    }
  };

  /** Releases the lease, so that another process need not wait until it expires. */
  const releaseLease = async (): Promise<void> => {
    tell(false, 'this process has ended its work as the leader');
    await lock.release(new AbortController().signal).catch(() => undefined);
  };

  const leadUntil = async (until: number): Promise<void> => {
    const present = createLeadershipTerm({ clock, until, expired: () => lostError('it could not be renewed in time') });
    // The response took too long: the lease is no longer valid, and the next attempt renews it.
    if (!present.holds()) return present.end();
    leadership = present;
    tell(true, 'this process leads');
    present.term.lost.addEventListener('abort', () => tell(false, 'this process does not lead any more'));
    const kept = keep(present);
    if (!end.signal.aborted) await work(present.term);
    const held = present.holds();
    present.end();
    await kept;
    if (held) await releaseLease();
    leadership = undefined;
  };

  const run = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const taken = await attempt(end.signal);
      if (taken.kind === 'held') await leadUntil(taken.until);
      if (!end.signal.aborted) await pauseFor(end.signal);
    }
  };

  return {
    start() {
      if (running) return;
      metrics.set('relay_leader', 0, { lease: ref.name });
      running = run();
    },
    leading: () => leadership?.holds() ?? false,
    async stop(graceMs) {
      end.abort(new Error('the elector stops'));
      leadership?.stop();
      if (!(await endsWithin({ clock, ms: graceMs }, running)))
        leadership?.expire(lostError('the time to end was over'));
    },
  };
};
