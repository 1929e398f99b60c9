import { RelayError, toRelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import type { KubeApi, Selection } from '../api/port.ts';
import { pathOf, type Resource } from '../api/resource.ts';
import type { Cache, Change } from './cache.ts';
import { readEvent } from './event.ts';
import type { EndReason } from './pace.ts';

/** Splits chunks into lines. */
interface Lines {
  /** Returns the complete lines and keeps an incomplete one. @throws RangeError when a line is too long */
  push(chunk: Uint8Array): string[];
}

/** Twice the maximum size of an object at the API server. */
const maxLineLength = 4 * 1_048_576;

/** Creates a splitter; a chunk may end inside a character. */
export const createLines = (limit = maxLineLength): Lines => {
  const decoder = new TextDecoder();
  let waiting: string[] = [];
  let length = 0;

  return {
    push(chunk) {
      const [head = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n');
      waiting.push(head);
      length += head.length;
      if (length > limit) throw new RangeError(`a line of over ${limit} characters`);
      const last = rest.pop();
      if (last === undefined) return [];
      const lines = [waiting.join(''), ...rest];
      waiting = [last];
      length = last.length;
      return lines.filter((line) => line.trim() !== '');
    },
  };
};

interface WatchDependencies {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly resource: Resource;
  readonly selection: Selection;
  readonly cache: Cache;
  /** Maximum number of objects in the cache. */
  readonly limit: number;
  /** Seconds after which the server ends the watch. */
  readonly seconds: number;
  /** The watch counts as dead after this long without a byte, ms. */
  readonly silentMs: number;
  /** The watch ends after this time, ms. */
  readonly dueMs: number;
  readonly onOpen: () => void;
  readonly onChange: (change: Change) => void;
  readonly signal: AbortSignal;
}

/** How a watch ended. */
interface WatchEnd {
  readonly reason: EndReason;
  readonly error?: RelayError;
}

/** Ends the watch when its time has passed, or when it receives nothing. */
const guard = (parts: WatchDependencies, controller: AbortController) => {
  const { clock, silentMs, dueMs, signal } = parts;
  let heardAt = clock.monotonic();
  let reason: EndReason | undefined;
  const endFor = (why: EndReason): void => {
    reason ??= why;
    controller.abort(new Error(why));
  };
  const onStop = (): void => controller.abort(signal.reason);
  signal.addEventListener('abort', onStop, { once: true });
  const due = clock.after(dueMs, () => endFor('due'));
  const listen = (): void => {
    const leftMs = heardAt + silentMs - clock.monotonic();
    if (leftMs > 0) silence = clock.after(leftMs, listen);
    else endFor('silent');
  };
  let silence = clock.after(silentMs, listen);
  return {
    reason: () => reason,
    heard() {
      heardAt = clock.monotonic();
    },
    release() {
      due.cancel();
      silence.cancel();
      signal.removeEventListener('abort', onStop);
    },
  };
};

const reasonOf = (error: RelayError): EndReason => {
  if (error.code === 'kube_version_gone') return 'gone';
  return error.code === 'kube_answer_unreadable' || error.code === 'kube_list_too_long' ? 'unreadable' : 'failed';
};

const endBy = (error: unknown, target: string): WatchEnd => {
  if (error instanceof RangeError)
    return endBy(new RelayError('kube_answer_unreadable', { details: { target, problem: error.message } }), target);
  const known = toRelayError(error);
  return { reason: reasonOf(known), error: known };
};

const take = (parts: WatchDependencies, line: string, target: string): void => {
  const { cache, resource, limit, onChange } = parts;
  const change = cache.apply(readEvent(line, resource, target));
  if (change) onChange(change);
  if (cache.size > limit) throw new RelayError('kube_list_too_long', { details: { target, limit } });
};

/**
 * Applies the changes after the cache's version to the cache until the watch ends.
 * @throws the signal's reason once it is aborted
 */
export const watchOnce = async (parts: WatchDependencies): Promise<WatchEnd> => {
  const { api, resource, selection, cache, seconds, signal } = parts;
  signal.throwIfAborted();
  const target = `GET ${pathOf(resource, selection)}`;
  const controller = new AbortController();
  const watched = guard(parts, controller);
  const lines = createLines();
  try {
    const wanted = { ...selection, resourceVersion: cache.version(), seconds };
    const stream = await api.watch(resource, wanted, { signal: controller.signal });
    parts.onOpen();
    for await (const chunk of stream) {
      watched.heard();
      for (const line of lines.push(chunk)) take(parts, line, target);
    }
    return { reason: 'ended' };
  } catch (error) {
    signal.throwIfAborted();
    const reason = watched.reason();
    return reason ? { reason } : endBy(error, target);
  } finally {
    watched.release();
  }
};
