import { toRelayError } from '@ranger-relay/errors';
import {
  type Backoff,
  type Clock,
  type Logger,
  type MetricName,
  type Metrics,
  type Random,
  runWithin,
} from '@ranger-relay/runtime';
import type { Key } from '../api/object.ts';
import { createWorkQueue, type Result } from '../queue/work-queue.ts';
import type { Source } from './sources.ts';
import type { Term } from './term.ts';

export interface ControllerOptions {
  /** Name in logs and metrics. */
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Pick<Metrics<MetricName>, 'count' | 'observe' | 'set'>;
  readonly sources: readonly Source[];
  /**
   * Moves one object towards its desired state, from its current state alone; may be called at any time. After an error it is called
   * again, after the back-off of the key.
   */
  readonly reconcile: (key: Key, signal: AbortSignal) => Promise<Result>;
  /** Maximum concurrent objects; default 4. */
  readonly concurrency?: number;
  /** Default: 1 second to 5 minutes. */
  readonly backoff?: Backoff;
  /** Timeout of a call, after which its signal is aborted, ms; default 60,000. */
  readonly runMs?: number;
  /** How long running calls may continue at the end, ms; default 20,000. */
  readonly drainMs?: number;
}

/** Calls `reconcile` for every object, and again after each change. */
export interface Controller {
  /** Runs for a term, once the sources are synced, and begins with all objects; resolves when no call is running. */
  run(term: Term): Promise<void>;
}

const defaultBackoff: Backoff = { baseMs: 1_000, maxMs: 300_000, jitterMs: 0 };

const either = (...signals: readonly AbortSignal[]): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of signals) {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    }
  });

/** Creates a controller; the caller starts and stops the informers of its sources. */
export const createController = (options: ControllerOptions): Controller => {
  const { name, clock, random, log, metrics, sources, reconcile } = options;
  const { concurrency = 4, backoff = defaultBackoff, runMs = 60_000, drainMs = 20_000 } = options;

  const runOne = async (key: Key, signal: AbortSignal): Promise<Result> => {
    const since = clock.monotonic();
    const count = (outcome: string): void => {
      metrics.count('relay_reconciles_total', { controller: name, outcome });
      metrics.observe('relay_reconcile_seconds', (clock.monotonic() - since) / 1_000, { controller: name });
    };
    try {
      const limits = { clock, ms: runMs, signal, what: `a run of ${name} for ${key}` };
      const result = await runWithin(limits, (limited) => reconcile(key, limited));
      count(result.kind);
      return result;
    } catch (error) {
      const { code } = toRelayError(error);
      count(signal.aborted ? 'aborted' : code);
      if (!signal.aborted) log.warn({ controller: name, key, code, err: error }, 'a run of a controller failed');
      throw error;
    }
  };

  const work = async ({ stopping, lost }: Term): Promise<void> => {
    const queue = createWorkQueue({
      clock,
      random,
      concurrency,
      backoff,
      run: runOne,
      onDepth: (waiting) => metrics.set('relay_reconcile_waiting_objects', waiting, { controller: name }),
    });
    const stops = sources.map((source) => source.follow((key) => queue.add(key)));
    lost.addEventListener('abort', () => queue.abort(), { once: true });
    await either(stopping, lost);
    for (const stop of stops) stop();
    const left = await queue.drain(drainMs);
    if (left > 0) log.warn({ controller: name, left }, 'a controller aborted its remaining runs');
    await queue.settled();
  };

  return {
    async run(term) {
      const { stopping, lost } = term;
      const ended = either(stopping, lost);
      const synced = Promise.all(sources.map((source) => source.whenSynced()));
      await Promise.race([synced, ended]);
      if (!stopping.aborted && !lost.aborted) await work(term);
    },
  };
};
