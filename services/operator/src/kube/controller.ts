import { toRelayError } from '@ranger-relay/errors';
import type { Backoff, Context } from '@ranger-relay/runtime';
import type { Key } from './object.ts';
import { createWorkQueue, type Result, type WorkQueue } from './work-queue.ts';

export interface ControllerOptions extends Pick<Context, 'clock' | 'random' | 'log' | 'metrics'> {
  /** Name in logs and metrics. */
  readonly name: string;
  /**
   * Moves one object towards its desired state, from its current state alone; may be called at any time. After an error it is called
   * again, after the back-off of the key.
   */
  readonly reconcile: (key: Key) => Promise<Result>;
  /** Maximum concurrent objects. */
  readonly concurrency: number;
}

const backoff: Backoff = { baseMs: 1_000, maxMs: 300_000, jitterMs: 0 };

/** Creates the queue of a controller: runs are counted and logged. */
export const createController = (options: ControllerOptions): WorkQueue => {
  const { name, clock, random, log, metrics, reconcile, concurrency } = options;
  const run = async (key: Key): Promise<Result> => {
    const since = clock.monotonic();
    const count = (outcome: string): void => {
      metrics.count('relay_reconciles_total', { controller: name, outcome });
      metrics.observe('relay_reconcile_seconds', (clock.monotonic() - since) / 1_000, { controller: name });
    };
    try {
      const result = await reconcile(key);
      count(result.kind);
      return result;
    } catch (error) {
      const { code } = toRelayError(error);
      count(code);
      log.warn({ controller: name, key, code, err: error }, 'a run of a controller failed');
      throw error;
    }
  };
  const onDepth = (waiting: number): void =>
    metrics.set('relay_reconcile_waiting_objects', waiting, { controller: name });
  return createWorkQueue({ clock, random, concurrency, backoff, run, onDepth });
};
