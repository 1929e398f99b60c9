import { toRelayError, type RelayError } from '@ranger-relay/errors';
import {
  type Clock,
  createRateLimitedLog,
  type Logger,
  type MetricName,
  type Metrics,
  type Random,
} from '@ranger-relay/runtime';
import type { KubeObject } from '../api/object.ts';
import type { KubeApi, Selection } from '../api/port.ts';
import type { Resource } from '../api/resource.ts';
import { jittered } from '../jittered.ts';
import { createCache, type Change, type ReadableCache } from './cache.ts';
import { listAll } from './list-all.ts';
import { nextStep, type NextStep, type Outcome } from './pace.ts';
import { watchOnce } from './watch-once.ts';

export interface InformerOptions<T extends KubeObject = KubeObject> extends Selection {
  readonly api: KubeApi;
  readonly resource: Resource<T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Pick<Metrics<MetricName>, 'count' | 'set'>;
  /** Interval between two full lists, ms; default 10 minutes. */
  readonly relistMs?: number;
  /** A watch that receives nothing for this long counts as dead, ms; default 2.5 minutes. The server sends a bookmark each minute. */
  readonly silentMs?: number;
  /** Maximum number of objects; default 10,000. */
  readonly limit?: number;
}

/** A copy of objects of the cluster that stays up to date. */
export interface Informer<T extends KubeObject = KubeObject> {
  readonly resource: Resource;
  /** Empty until synced; then never older than the last list. */
  readonly cache: ReadableCache<T>;
  /** Whether the first list is in the cache; stays true while the API server is unavailable. */
  synced(): boolean;
  /** Resolves with the first list. */
  whenSynced(): Promise<void>;
  /**
   * Calls the listener for every change, in order, after the cache has it; quick successive changes may be reported as one. Returns a
   * function that stops it.
   */
  onChange(listener: (change: Change<T>) => void): () => void;
  /** Starts the informer, once. */
  start(): void;
  /** Stops the informer; resolves when no request is running. */
  stop(): Promise<void>;
}

const shareOfJitter = 0.2;
/** The server ends a watch after about this time, ms. */
const watchMs = 300_000;

export const createInformer = <T extends KubeObject = KubeObject>(options: InformerOptions<T>): Informer<T> => {
  const { api, resource, clock, random, log, metrics, namespace, labelSelector } = options;
  const { relistMs = 600_000, silentMs = 150_000, limit = 10_000 } = options;
  const selection = { namespace, labelSelector };
  const cache = createCache();
  const listeners = new Set<(change: Change<T>) => void>();
  const first = Promise.withResolvers<void>();
  const limitedLog = createRateLimitedLog({ log, clock });
  const end = new AbortController();
  let synced = false;
  let relistAt = 0;
  let running: Promise<void> | undefined;

  const tell = (change: Change): void => {
    for (const listener of listeners)
      try {
        listener(change as Change<T>);
      } catch (error) {
        log.error({ err: error, resource: resource.plural }, 'a listener to changes failed');
      }
  };

  const current = (is: boolean): void => metrics.set('relay_kube_cache_ready', is ? 1 : 0, { kind: resource.kind });

  const failed = (step: string, error: RelayError): void => {
    current(false);
    limitedLog.warn(
      `${step}.${error.code}`,
      { resource: resource.plural, step, code: error.code, err: error },
      'following objects of the cluster failed',
    );
  };

  const list = async (): Promise<Outcome> => {
    try {
      const { items, resourceVersion } = await listAll(api, resource, { ...selection, limit }, { signal: end.signal });
      relistAt = clock.monotonic() + jittered(relistMs, shareOfJitter, random);
      const changes = cache.replace(items, resourceVersion);
      synced = true;
      current(true);
      first.resolve();
      for (const change of changes) tell(change);
      return { step: 'list', ok: true };
    } catch (error) {
      end.signal.throwIfAborted();
      const failure = toRelayError(error);
      failed('list', failure);
      return { step: 'list', ok: false, retryAfterMs: failure.retryAfterMs };
    }
  };

  const parts = {
    api,
    clock,
    resource,
    selection,
    cache,
    limit,
    silentMs,
    signal: end.signal,
    onOpen: () => current(true),
    onChange: tell,
  };

  const watch = async (): Promise<Outcome> => {
    const since = clock.monotonic();
    const { reason, error } = await watchOnce({
      ...parts,
      seconds: Math.ceil(jittered(watchMs, shareOfJitter, random) / 1_000),
      dueMs: Math.max(0, relistAt - since),
    });
    metrics.count('relay_kube_watch_ends_total', { kind: resource.kind, reason });
    if (error) failed('watch', error);
    return { step: 'watch', reason, livedMs: clock.monotonic() - since, retryAfterMs: error?.retryAfterMs };
  };

  const follow = async (): Promise<void> => {
    let next: NextStep = { step: 'list', delayMs: 0, failures: 0 };
    while (!end.signal.aborted) {
      if (next.delayMs > 0) await clock.sleep(next.delayMs, end.signal);
      const outcome = await (next.step === 'list' ? list() : watch());
      next = nextStep(outcome, next.failures, random);
    }
  };

  return {
    resource,
    cache: cache as unknown as ReadableCache<T>,
    synced: () => synced,
    whenSynced: () => first.promise,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start() {
      if (running) return;
      current(false);
      running = follow().catch((error: unknown) => {
        if (!end.signal.aborted) log.error({ err: error, resource: resource.plural }, 'an informer ended by itself');
      });
    },
    async stop() {
      end.abort();
      await running;
    },
  };
};
