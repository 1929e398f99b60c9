import { toRelayError, type RelayError } from '@ranger-relay/errors';
import type { Clock, Logger, MetricName, Metrics, Random } from '@ranger-relay/runtime';
import type { KubeObject } from '../api/object.ts';
import type { KubeApi, Selection } from '../api/port.ts';
import type { Resource } from '../api/resource.ts';
import { jittered } from '../jittered.ts';
import { createCache, type Change, type ReadableCache } from './cache.ts';
import { listAll } from './list-all.ts';
import { nextStep, type NextStep, type Outcome } from './pace.ts';
import { watchOnce } from './watch-once.ts';

/** What an informer is made from. */
export interface InformerOptions<T extends KubeObject = KubeObject> extends Selection {
  readonly api: KubeApi;
  readonly resource: Resource<T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Pick<Metrics<MetricName>, 'count' | 'set'>;
  /** Between two whole lists, ms; default 10 minutes. */
  readonly relistMs?: number;
  /** A watch without a byte for so long is dead, ms; default 2.5 minutes. The server sends a bookmark each minute. */
  readonly silentMs?: number;
  /** Most objects; default 10,000. */
  readonly limit?: number;
}

/** A copy of some objects of the cluster that keeps itself up to date. */
export interface Informer<T extends KubeObject = KubeObject> {
  readonly resource: Resource;
  /** Empty until it is synced; then never older than the last list. */
  readonly cache: ReadableCache<T>;
  /** The first list is in the cache. It stays true while the API server is away. */
  synced(): boolean;
  /** Resolves with the first list. */
  whenSynced(): Promise<void>;
  /** Hears of every change, in order, after it is in the cache; of changes that followed each other quickly perhaps only the last. Returns how to stop. */
  onChange(listener: (change: Change<T>) => void): () => void;
  /** Begins; does nothing when it runs. */
  start(): void;
  /** Ends; resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

const shareOfJitter = 0.2;
/** The server ends a watch after about so long, ms. */
const watchMs = 300_000;

/** Makes an informer. */
export const createInformer = <T extends KubeObject = KubeObject>(options: InformerOptions<T>): Informer<T> => {
  const { api, resource, clock, random, log, metrics, namespace, labelSelector } = options;
  const { relistMs = 600_000, silentMs = 150_000, limit = 10_000 } = options;
  const selection = { namespace, labelSelector };
  const cache = createCache();
  const listeners = new Set<(change: Change<T>) => void>();
  const first = Promise.withResolvers<void>();
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
    log.warn(
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
