import type { Context } from '@ranger-relay/runtime';
import { standForLeader } from './leadership.ts';
import { tick, type TickParts } from './tick.ts';
import type { Ticker } from './ticker.ts';

/** What the scheduler is built with. */
export interface SchedulerOptions extends Omit<TickParts, 'context'> {
  readonly ticker: Ticker;
  /** Tells this process from every other. */
  readonly owner: string;
  readonly context: Pick<Context, 'clock' | 'log' | 'metrics'>;
}

/** A running scheduler. */
export interface Scheduler {
  /** Ticks no more; a tick under way stops at its next batch and the lease is given back. */
  stop(): Promise<void>;
}

/** A tick that hangs on another system holds up the end no longer, ms. */
const lastTickMs = 2_000;

/**
 * Publishes the commands of the schedules while this process is the leader: at every tick, and at once when it becomes the leader. Ticks of one
 * process never overlap; one that comes meanwhile is made up for afterwards.
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
        log.warn({ err: error }, 'the schedules could not be published; the next tick makes up for it');
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
      const late = Promise.withResolvers<void>();
      const timer = clock.after(lastTickMs, () => late.resolve(), true);
      await Promise.race([running, late.promise]);
      timer.cancel();
      await leadership.stop();
    },
  };
};
