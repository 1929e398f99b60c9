import { RelayError, toRelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import type { KubeApi, Selection } from '../api/port.ts';
import { pathOf, type Resource } from '../api/resource.ts';
import type { Cache, Change } from './cache.ts';
import { readEvent } from './event.ts';
import type { EndReason } from './pace.ts';

/** Splits what comes in pieces into lines. */
interface Lines {
  /** The lines that are complete now; an unfinished one waits. @throws RangeError when a line is longer than allowed */
  push(chunk: Uint8Array): string[];
}

/** Twice what the API server stores of one object. */
const maxLineLength = 4 * 1_048_576;

/** Makes a splitter; characters may be cut anywhere between two pieces. */
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

/** What one watch works with. */
interface WatchDependencies {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly resource: Resource;
  readonly selection: Selection;
  readonly cache: Cache;
  /** Most objects that the cache may hold. */
  readonly limit: number;
  /** Seconds after which the server shall end it. */
  readonly seconds: number;
  /** Without a single byte for so long it counts as dead, ms. */
  readonly silentMs: number;
  /** It is ended after so long, ms. */
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

/** Ends the watch when its time is over, or when nothing comes. */
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
 * Follows the changes after the cache's version into the cache, until the watch ends in any way.
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
