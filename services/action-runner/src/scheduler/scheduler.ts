import { type Lease, takeLease } from '@ranger-relay/actions';
import { RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import { type Context, endsWithin, repeatAtRate } from '@ranger-relay/runtime';
import { schedulerKey } from './due.ts';
import { tick, type TickDependencies } from './tick.ts';
import type { Ticker } from './ticker.ts';

/** Leadership of one process among several, as long as its lease holds. */
interface Leadership {
  held(): boolean;
  /** Stops competing for the lease and releases it. */
  stop(): Promise<void>;
}

/** Options of `standForLeader`. */
interface LeadershipOptions {
  readonly state: KvSpace;
  /** Integration type whose schedules these are. */
  readonly slug: string;
  /** Identifies this process. */
  readonly owner: string;
  readonly context: Pick<Context, 'clock' | 'log' | 'metrics' | 'random'>;
  readonly onTaken: () => void;
}

/** How often a process that is not the leader tries to take the lease, ms. */
const tryMs = 5_000;

const lost = (): RelayError => new RelayError('kv_unavailable', { details: { reason: 'the leader lease was lost' } });

/** Competes for the lease until stopped: takes it when it is free, and retries when it is held or lost. */
const standForLeader = ({ state, slug, owner, context, onTaken }: LeadershipOptions): Leadership => {
  const { clock, log, metrics } = context;
  let lease: Lease | undefined;
  let over = false;

  const show = (): void => metrics.set('relay_scheduler_leader', lease?.held() ? 1 : 0);

  const taken = (next: Lease): void => {
    lease = next;
    show();
    log.info({ owner }, 'this process is the leader of the schedules');
    next.signal.addEventListener('abort', () => {
      show();
      log.warn({ owner }, 'this process is no longer the leader of the schedules');
    });
    onTaken();
  };

  const attempt = async (): Promise<void> => {
    try {
      if (lease?.held()) return;
      const key = schedulerKey.leader(slug);
      const taking = await takeLease({ ...context, space: state, key, holder: owner, lost });
      if (taking.kind === 'held') return;
      if (over) await taking.lease.release();
      else taken(taking.lease);
    } catch (error) {
      log.debug({ err: error }, 'the leader lease cannot be acquired now');
    }
  };

  const stopTrying = repeatAtRate({ clock, everyMs: tryMs, firstMs: 0 }, () => {
    show();
    return attempt();
  });

  return {
    held: () => lease?.held() ?? false,
    async stop() {
      over = true;
      await stopTrying();
      await lease?.release();
      show();
    },
  };
};

/** Options of `startScheduler`. */
interface SchedulerOptions extends Omit<TickDependencies, 'context'> {
  readonly ticker: Ticker;
  /** Identifies this process. */
  readonly owner: string;
  readonly context: Pick<Context, 'clock' | 'log' | 'metrics' | 'random'>;
}

/** A running scheduler. */
interface Scheduler {
  /** Stops ticking; a running tick stops at its next batch, and the lease is released. */
  stop(): Promise<void>;
}

/** The stop waits at most this long for a tick that another system blocks, ms. */
const lastTickMs = 2_000;

/**
 * Publishes the commands of the schedules while this process is the leader: at every tick, and at once when it becomes the leader. Ticks of
 * one process never overlap; a tick that comes during another runs afterwards.
 */
export const startScheduler = ({ ticker, owner, ...parts }: SchedulerOptions): Scheduler => {
  const { context, state, slug } = parts;
  const { clock, log, metrics } = context;
  let running: Promise<void> | undefined;
  let again = false;
  const stopped = new AbortController();
  let lookedThroughAt = clock.monotonic();
  const mayGoOn = (): boolean => !stopped.signal.aborted && leadership.held();

  const run = async (): Promise<void> => {
    do {
      again = false;
      try {
        await tick(parts, { mayGoOn, signal: stopped.signal });
        lookedThroughAt = clock.monotonic();
      } catch (error) {
        log.warn({ err: error }, 'the schedules could not be published; the next tick publishes them');
      }
    } while (again && mayGoOn());
  };

  const onTick = (): void => {
    if (!mayGoOn()) return;
    if (running) again = true;
    else running = run().finally(() => (running = undefined));
  };

  const onTaken = (): void => {
    lookedThroughAt = clock.monotonic();
    onTick();
  };
  const leadership = standForLeader({ state, slug, owner, context, onTaken });
  const ticking = ticker(onTick);
  metrics.set('relay_scheduler_running', 1);
  metrics.onScrape(() =>
    metrics.set(
      'relay_scheduler_behind_seconds',
      leadership.held() ? (clock.monotonic() - lookedThroughAt) / 1_000 : 0,
    ),
  );

  return {
    async stop() {
      stopped.abort();
      metrics.set('relay_scheduler_running', 0);
      ticking.stop();
      await endsWithin({ clock, ms: lastTickMs, ref: true }, running);
      await leadership.stop();
    },
  };
};
