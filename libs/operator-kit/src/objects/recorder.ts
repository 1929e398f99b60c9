import { cutText, toRelayError } from '@ranger-relay/errors';
import { redactText, type Clock, type Logger, type MetricName, type Metrics, type Random } from '@ranger-relay/runtime';
import type { KubeObject } from '../api/object.ts';
import type { KubeApi } from '../api/port.ts';
import { apiVersionOf, type Resource } from '../api/resource.ts';
import { kubeTime } from './conditions.ts';
import { createEventBook, type Entry, type Occurrence } from './event-book.ts';

/** What a recorder is made from. */
export interface RecorderOptions {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Pick<Metrics<MetricName>, 'count'>;
  /** Who says it: the name of the controller. */
  readonly component: string;
  /** Where events about objects without a namespace go. */
  readonly namespace: string;
}

/** Writes events for people, as `kubectl describe` shows them. Best effort: what cannot be written is counted and dropped. */
export interface Recorder {
  /** Says something about an object. Never fails and never waits; the same within half an hour is one event with a count. */
  record(resource: Resource, object: KubeObject, occurrence: Occurrence): void;
  /** Waits for what is still to be written, at most `ms`; drops the rest. */
  stop(ms: number): Promise<void>;
}

const events: Resource = { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true };

const mostWaiting = 200;
const longestMessage = 1_000;

/** Makes a recorder; it writes one event at a time. */
export const createRecorder = (options: RecorderOptions): Recorder => {
  const { api, clock, random, log, metrics, component, namespace } = options;
  const book = createEventBook();
  const end = new AbortController();
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();

  const eventOf = (resource: Resource, { metadata }: KubeObject, occurrence: Occurrence): KubeObject => {
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
        uid,
        resourceVersion,
      },
      ...occurrence,
      source: { component },
      reportingComponent: component,
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
  };

  const write = async (entry: Entry & { kind: 'new' | 'count' }, event: KubeObject): Promise<void> => {
    const { signal } = end;
    if (entry.kind === 'new') {
      const written = await api.create(events, event, { signal });
      return book.written(entry.id, written.metadata.name);
    }
    const ref = { namespace: event.metadata.namespace, name: entry.name };
    await api.merge(events, ref, { count: entry.count, lastTimestamp: event['lastTimestamp'] }, { signal });
  };

  const drop = (id: string, error: unknown): void => {
    book.forget(id);
    metrics.count('relay_kube_events_dropped_total');
    if (!end.signal.aborted) log.debug({ code: toRelayError(error).code }, 'an event for people was not written');
  };

  const enqueue = (entry: Entry & { kind: 'new' | 'count' }, event: KubeObject): void => {
    if (waiting >= mostWaiting || end.signal.aborted) return drop(entry.id, new Error('the queue is full'));
    waiting += 1;
    last = last
      .then(() => write(entry, event))
      .catch((error: unknown) => drop(entry.id, error))
      .finally(() => (waiting -= 1));
  };

  return {
    record(resource, object, { type, reason, message }) {
      const occurrence = { type, reason, message: cutText(redactText(message), longestMessage) };
      const { namespace: place, name, uid = '' } = object.metadata;
      const entry = book.note([resource.kind, place, name, uid].join('/'), occurrence, clock.monotonic());
      if (entry.kind !== 'none') enqueue(entry, eventOf(resource, object, occurrence));
    },
    async stop(ms) {
      const late = Promise.withResolvers<void>();
      const timer = clock.after(ms, late.resolve);
      await Promise.race([last, late.promise]);
      timer.cancel();
      end.abort(new Error('the recorder stops'));
      await last;
    },
  };
};
