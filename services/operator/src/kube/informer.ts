import type { makeInformer } from '@kubernetes/client-node';
import { type Context, createRateLimitedLog, delayFor, pause } from '@ranger-relay/runtime';
import type { KubeClient } from './client.ts';
import { connectionError } from './errors.ts';
import { type Key, keyOf, type KubeObject } from './object.ts';
import { jittered } from './work-queue.ts';

/** Objects of one kind, as they were seen last. */
export interface Cache<T extends KubeObject = KubeObject> {
  get(key: Key): T | undefined;
  values(): readonly T[];
}

/** Where the objects of one kind come from. */
export interface Source<T extends KubeObject = KubeObject> {
  readonly kind: string;
  /** Path of the list and of its watch. */
  readonly path: string;
  readonly labelSelector?: string | undefined;
  readonly list: () => Promise<unknown>;
  /** The type of the objects; used only by the compiler. */
  readonly object?: T;
}

/** A copy of the objects of one kind that stays up to date. */
export interface Informer<T extends KubeObject = KubeObject> {
  /** Empty until synced. */
  readonly cache: Cache<T>;
  /** Whether the first list is in the cache; stays true while the API server is unavailable. */
  synced(): boolean;
  /** Resolves with the first list; never when the informer is stopped before. */
  whenSynced(): Promise<void>;
  /** Calls the listener for every object that changed or was deleted, after the cache shows it. */
  onChange(listener: (object: T) => void): void;
  start(): void;
  /** Resolves when nothing is under way. */
  stop(): Promise<void>;
}

export interface InformerOptions<T extends KubeObject> extends Pick<Context, 'clock' | 'random' | 'log' | 'metrics'> {
  readonly source: Source<T>;
  readonly client: Pick<KubeClient, 'informer'>;
}

/** A list and its watch are replaced by new ones after this time: what a watch missed is in the next list, ms. */
const renewMs = 60_000;
/** Time limit of a list and of the begin of its watch, ms. */
const beginMs = 45_000;
/** A watch of this duration was a success, ms. */
const steadyMs = 10_000;
const backoff = { baseMs: 500, maxMs: 30_000, jitterMs: 0 };

type ListWatch<T extends KubeObject> = ReturnType<typeof makeInformer<T>>;
const keyOfObject = ({ metadata: { namespace, name } }: KubeObject): Key => keyOf({ namespace, name });
const find = <T extends KubeObject>(listWatch: ListWatch<T> | undefined, key: Key): T | undefined => {
  const slash = key.indexOf('/');
  return listWatch?.get(key.slice(slash + 1), key.slice(0, slash));
};

/**
 * Creates an informer from those of client-node, of which each follows the objects for a minute at most: a new one takes its place then, and
 * after an error, at which client-node's stops.
 */
export const createInformer = <T extends KubeObject>(options: InformerOptions<T>): Informer<T> => {
  const { source, client, clock, random, log, metrics } = options;
  const { kind } = source;
  const listeners: ((object: T) => void)[] = [];
  const limitedLog = createRateLimitedLog({ log, clock });
  const end = new AbortController();
  const first = Promise.withResolvers<void>();
  let current: ListWatch<T> | undefined;
  let running: Promise<void> | undefined;

  const notify = (object: T): void => {
    for (const listener of listeners) listener(object);
  };

  /** Takes a new copy in place of the last one, and tells how they differ. */
  const replaceBy = (next: ListWatch<T>): void => {
    const last = current;
    current = next;
    for (const object of next.list())
      if (find(last, keyOfObject(object))?.metadata.resourceVersion !== object.metadata.resourceVersion) notify(object);
    for (const object of last?.list() ?? []) if (!find(next, keyOfObject(object))) notify(object);
    first.resolve();
    void last?.stop();
  };

  const isCurrent = (listWatch: ListWatch<T>): boolean => current === listWatch;

  /** Lists and watches until that fails or its time is over. @returns the error; undefined at the end of the time */
  const listAndWatch = async (): Promise<unknown> => {
    let isLate = false;
    const ended = Promise.withResolvers<unknown>();
    const onStop = (): void => ended.resolve(end.signal.reason);
    end.signal.addEventListener('abort', onStop, { once: true });
    const listWatch = client.informer<T>(source.path, source.list, source.labelSelector);
    listWatch.on('error', ended.resolve);
    listWatch.on('change', (object) => {
      if (isCurrent(listWatch)) notify(object);
    });
    let timer = clock.after(beginMs, () => ended.resolve(new Error(`nothing within ${beginMs} ms`)));
    const begun = listWatch.start().then(() => (isLate ? listWatch.stop() : undefined), ended.resolve);
    const isOver = await Promise.race([ended.promise.then(() => true), begun.then(() => false)]);
    timer.cancel();
    isLate = isOver;
    if (!isOver) {
      metrics.set('relay_kube_cache_ready', 1, { kind });
      replaceBy(listWatch);
      timer = clock.after(jittered(renewMs, random), () => ended.resolve(undefined));
    }
    const error = await ended.promise;
    timer.cancel();
    end.signal.removeEventListener('abort', onStop);
    if (!isOver) metrics.count('relay_kube_watch_ends_total', { kind, reason: error === undefined ? 'due' : 'failed' });
    else await listWatch.stop();
    return error;
  };

  const run = async (): Promise<void> => {
    let failures = 0;
    while (!end.signal.aborted) {
      const since = clock.monotonic();
      const problem = await listAndWatch();
      if (clock.monotonic() - since >= steadyMs) failures = 0;
      if (problem === undefined || end.signal.aborted) continue;
      const error = connectionError(`GET ${source.path}`, problem);
      metrics.set('relay_kube_cache_ready', 0, { kind });
      limitedLog.warn(error.code, { kind, code: error.code, err: error }, 'following objects of the cluster failed');
      const waitMs = jittered(delayFor(backoff, failures, random), random);
      failures += 1;
      await pause(clock, Math.max(waitMs, error.retryAfterMs ?? 0), end.signal);
    }
  };

  return {
    cache: { get: (key) => find(current, key), values: () => current?.list() ?? [] },
    synced: () => current !== undefined,
    whenSynced: () => first.promise,
    onChange: (listener) => void listeners.push(listener),
    start() {
      metrics.set('relay_kube_cache_ready', 0, { kind });
      running ??= run();
    },
    async stop() {
      end.abort(new Error('the informer stops'));
      await running;
      await current?.stop();
    },
  };
};
