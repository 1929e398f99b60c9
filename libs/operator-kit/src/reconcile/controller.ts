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

/** What a controller is made from. */
export interface ControllerOptions {
  /** In logs and metrics. */
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Pick<Metrics<MetricName>, 'count' | 'observe' | 'set'>;
  readonly sources: readonly Source[];
  /**
   * Brings one object to what is wanted, whatever happened before: it looks at the present state alone, and may be called at any time.
   * What it throws leads to another call after the back-off of the key.
   */
  readonly reconcile: (key: Key, signal: AbortSignal) => Promise<Result>;
  /** Objects at a time; default 4. */
  readonly concurrency?: number;
  /** Default: from 1 second to 5 minutes. */
  readonly backoff?: Backoff;
  /** After so long the signal of a call is aborted, ms; default 60,000. */
  readonly runMs?: number;
  /** How long calls under way may go on at the end, ms; default 20,000. */
  readonly drainMs?: number;
}

/** Calls `reconcile` for every object, and again when something changes. */
export interface Controller {
  /** Works for a term, from the moment the sources are synced; resolves when nothing is under way any more. Each term begins with all objects. */
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

/** Makes a controller; the informers of its sources are started and stopped by whoever made them. */
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
    if (left > 0) log.warn({ controller: name, left }, 'runs of a controller were told to break off');
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
