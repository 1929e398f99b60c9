import type { CoreV1Event } from '@kubernetes/client-node';
import { cutText, toRelayError } from '@ranger-relay/errors';
import {
  BoundedMap,
  type Clock,
  endsWithin,
  type Logger,
  type MetricName,
  type Metrics,
  type Random,
  redactText,
} from '@ranger-relay/runtime';
import type { KubeObject } from '../api/object.ts';
import type { KubeApi } from '../api/port.ts';
import { apiVersionOf, type Resource } from '../api/resource.ts';
import { kubeTime } from './conditions.ts';

/** An event about an object, for people. */
export interface Occurrence {
  readonly type: 'Normal' | 'Warning';
  /** One word in CamelCase. */
  readonly reason: string;
  /** A sentence without secrets. */
  readonly message: string;
}

/** The write that an occurrence requires: a new event, a higher count of an earlier one, or nothing. */
type Entry =
  | { readonly kind: 'new'; readonly id: string }
  | { readonly kind: 'count'; readonly id: string; readonly name: string; readonly count: number }
  | { readonly kind: 'none' };

interface Known {
  /** Name of the written event; undefined until it is written. */
  name: string | undefined;
  count: number;
  writtenAt: number;
}

/** Remembers recorded occurrences, so that repetitions only raise a count. Bounded: forgets the oldest first. */
interface EventBook {
  /** Records an occurrence. */
  note(object: string, occurrence: Occurrence, now: number): Entry;
  /** Reports the name of the written event of an entry. */
  written(id: string, name: string): void;
  /** Reports that the event of an entry does not exist; the next occurrence creates a new one. */
  forget(id: string): void;
}

const maxKnown = 1_000;
/** Minimum interval between two writes of the count of an event, ms. */
const countEveryMs = 60_000;
/** The API server keeps events for an hour; the recorder begins a new one before that. */
const newAfterMs = 1_800_000;

/** Creates an empty book. Times are monotonic. */
export const createEventBook = (): EventBook => {
  const known = new BoundedMap<Known & { readonly since: number }>(maxKnown);

  const begin = (id: string, now: number): Entry => {
    known.set(id, { name: undefined, count: 1, writtenAt: now, since: now });
    return { kind: 'new', id };
  };

  return {
    note(object, { type, reason, message }, now) {
      const id = JSON.stringify([object, type, reason, message]);
      const found = known.get(id);
      if (!found || now - found.since >= newAfterMs) return begin(id, now);
      found.count += 1;
      if (found.name === undefined || now - found.writtenAt < countEveryMs) return { kind: 'none' };
      found.writtenAt = now;
      return { kind: 'count', id, name: found.name, count: found.count };
    },
    written(id, name) {
      const found = known.get(id);
      if (found) found.name = name;
    },
    forget: (id) => void known.delete(id),
  };
};

export interface RecorderOptions {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Pick<Metrics<MetricName>, 'count'>;
  /** Name of the reporting controller. */
  readonly component: string;
  /** Namespace for events about cluster-scoped objects. */
  readonly namespace: string;
}

/** Writes events, as `kubectl describe` shows them. Best effort: counts and drops events that it cannot write. */
export interface Recorder {
  /** Records an event about an object. Never fails and never waits; repetitions within half an hour raise the count of one event. */
  record(resource: Resource, object: KubeObject, occurrence: Occurrence): void;
  /** Waits at most `ms` for pending writes and drops the rest. */
  stop(ms: number): Promise<void>;
}

type Event = KubeObject<CoreV1Event>;

const events: Resource<Event> = { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true };

const maxWaiting = 200;
const maxMessageLength = 1_000;

/** Creates a recorder; it writes one event at a time. */
export const createRecorder = (options: RecorderOptions): Recorder => {
  const { api, clock, random, log, metrics, component, namespace } = options;
  const book = createEventBook();
  const end = new AbortController();
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();

  const eventOf = (resource: Resource, { metadata }: KubeObject, occurrence: Occurrence): Event => {
    const { name, uid, resourceVersion } = metadata;
    const place = metadata.namespace ?? namespace;
    const time = kubeTime(clock.now());
    return {
      metadata: { name: `${name.slice(0, 200)}.${random.uuid()}`, namespace: place },
      involvedObject: {
        apiVersion: apiVersionOf(resource),
        kind: resource.kind,
        name,
        namespace: place,
        ...(uid && resourceVersion ? { uid, resourceVersion } : {}),
      },
      ...occurrence,
      source: { component },
      reportingComponent: component,
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
  };

  const write = async (entry: Entry & { kind: 'new' | 'count' }, event: Event): Promise<void> => {
    const { signal } = end;
    if (entry.kind === 'new') {
      const written = await api.create(events, event, { signal });
      return book.written(entry.id, written.metadata.name);
    }
    const ref = { namespace: event.metadata.namespace, name: entry.name };
    await api.merge(events, ref, { count: entry.count, lastTimestamp: event.lastTimestamp }, { signal });
  };

  const drop = (id: string, error: unknown): void => {
    book.forget(id);
    metrics.count('relay_kube_events_dropped_total');
    if (!end.signal.aborted) log.debug({ code: toRelayError(error).code }, 'an event was not written');
  };

  const enqueue = (entry: Entry & { kind: 'new' | 'count' }, event: Event): void => {
    if (waiting >= maxWaiting || end.signal.aborted) return drop(entry.id, new Error('the queue is full'));
    waiting += 1;
    last = last
      .then(() => write(entry, event))
      .catch((error: unknown) => drop(entry.id, error))
      .finally(() => (waiting -= 1));
  };

  return {
    record(resource, object, { type, reason, message }) {
      const occurrence = { type, reason, message: cutText(redactText(message), maxMessageLength) };
      const { namespace: place, name, uid = '' } = object.metadata;
      const entry = book.note([resource.kind, place, name, uid].join('/'), occurrence, clock.monotonic());
      if (entry.kind !== 'none') enqueue(entry, eventOf(resource, object, occurrence));
    },
    async stop(ms) {
      await endsWithin({ clock, ms }, last);
      end.abort(new Error('the recorder stops'));
      await last;
    },
  };
};
