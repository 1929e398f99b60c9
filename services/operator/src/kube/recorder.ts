import { cutText, toRelayError } from '@ranger-relay/errors';
import { BoundedMap, type Context, endsWithin, redactText } from '@ranger-relay/runtime';
import { fieldManager, type KubeClient } from './client.ts';
import { apiVersionOf, type KubeObject, type Resource } from './object.ts';

/** An event about an object, for people. */
export interface Occurrence {
  readonly type: 'Normal' | 'Warning';
  /** One word in CamelCase. */
  readonly reason: string;
  /** A sentence without secrets. */
  readonly message: string;
}

export interface RecorderOptions extends Pick<Context, 'clock' | 'random' | 'log' | 'metrics'> {
  readonly client: Pick<KubeClient, 'core' | 'merge'>;
}

/** Writes events, as `kubectl describe` shows them. Best effort: counts and drops events that it cannot write. */
export interface Recorder {
  /** Records an event about an object. Never fails and never waits; a repetition within half an hour raises the count of one event. */
  record(resource: Resource, object: KubeObject, occurrence: Occurrence): void;
  /** Waits at most `ms` for pending writes. */
  stop(ms: number): Promise<void>;
}

/** An event that was written. */
interface Written {
  readonly name: string;
  readonly since: number;
  readonly count: number;
}

const maxKnown = 1_000;
/** The API server keeps events for an hour; the recorder begins a new one before that, ms. */
const newAfterMs = 1_800_000;
const maxWaiting = 200;
const maxMessageLength = 1_000;

/** Creates a recorder; it writes one event at a time. */
export const createRecorder = ({ client, clock, random, log, metrics }: RecorderOptions): Recorder => {
  const known = new BoundedMap<Written>(maxKnown);
  let stopped = false;
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();

  const write = async (id: string, resource: Resource, object: KubeObject, said: Occurrence): Promise<void> => {
    const { name, namespace = '', uid = '', resourceVersion = '' } = object.metadata;
    const lastTimestamp = new Date(clock.now());
    const found = known.get(id);
    if (found && clock.monotonic() - found.since < newAfterMs) {
      const count = found.count + 1;
      const body = { count, lastTimestamp };
      await client.core.patchNamespacedEvent({ namespace, name: found.name, body }, client.merge);
      return void known.set(id, { ...found, count });
    }
    const metadata = { name: `${name.slice(0, 200)}.${random.uuid()}`, namespace };
    const { kind } = resource;
    const involvedObject = { apiVersion: apiVersionOf(resource), kind, name, namespace, uid, resourceVersion };
    const from = { source: { component: fieldManager }, reportingComponent: fieldManager };
    const body = { metadata, involvedObject, ...said, ...from, firstTimestamp: lastTimestamp, lastTimestamp, count: 1 };
    await client.core.createNamespacedEvent({ namespace, body });
    known.set(id, { name: metadata.name, since: clock.monotonic(), count: 1 });
  };

  const drop = (id: string, error: unknown): void => {
    known.delete(id);
    metrics.count('relay_kube_events_dropped_total');
    log.debug({ code: toRelayError(error).code }, 'an event was not written');
  };

  return {
    record(resource, object, { type, reason, message }) {
      const said = { type, reason, message: cutText(redactText(message), maxMessageLength) };
      const { namespace, name, uid } = object.metadata;
      const id = JSON.stringify([resource.kind, namespace, name, uid, said]);
      if (waiting >= maxWaiting || stopped) return drop(id, new Error('the queue is full'));
      waiting += 1;
      last = last
        .then(() => (stopped ? drop(id, new Error('the recorder has stopped')) : write(id, resource, object, said)))
        .catch((error: unknown) => drop(id, error))
        .finally(() => (waiting -= 1));
    },
    async stop(ms) {
      await endsWithin({ clock, ms }, last);
      stopped = true;
    },
  };
};
