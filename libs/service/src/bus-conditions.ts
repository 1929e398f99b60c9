import type { Bus, OutgoingRecord } from '@ranger-relay/bus';
import { integrationOfKey, topics } from '@ranger-relay/contracts';
import { toRelayError } from '@ranger-relay/errors';
import { type Context, repeat, type StopRepeating } from '@ranger-relay/runtime';

type Watching = Pick<Context, 'clock' | 'conditions' | 'lifecycle'>;

/** Topics whose records are events of devices; a webhook is answered 503 while one of them cannot be written. */
const eventTopics: ReadonlySet<string> = new Set([topics.sourceEvents.name, topics.emergencies.name]);

const probeEveryMs = 10_000;
/** A broker that changes its leader fails for a moment; after this time nothing can be promised to the vendor. */
const tolerateMs = 5_000;

const nameOf = (topic: string) => (eventTopics.has(topic) ? 'bus_write_failing' : 'topic_write_failing');

/** An event with nothing to send: whoever reads it is done with it. @param at ms since 1970 */
export const writeProbe = (key: string, at: number): OutgoingRecord => ({
  key,
  value: JSON.stringify({
    v: 1,
    integration_id: integrationOfKey(key),
    event_id: 'write-probe',
    received_at: new Date(at).toISOString(),
    source: key.slice(key.indexOf(':') + 1),
    kind: 'device',
    sos: null,
    observation: null,
    message: null,
  }),
});

/** What is known of writing to one topic. */
interface Writes {
  /** Key of the record that could not be written: a later one of its partition proves that it can be. */
  failedKey: string | undefined;
  /** The first failure since the last good write, monotonic ms. */
  badSince: number | undefined;
}

/** A bus whose failed writes are conditions. */
export type WatchedBus<B extends Bus = Bus> = B & {
  /** Whether the topic can be written: false when all writes have failed for 5 s. */
  canWrite(topic: string): boolean;
};

/**
 * Sets `bus_write_failing` (topics of events) or `topic_write_failing` (others) when a write fails, and clears it at the next good write to the
 * same partition. While a topic of events cannot be written, it tries by itself every 10 s: without traffic nobody else would.
 */
export const watchBusWrites = <B extends Bus>({ clock, conditions, lifecycle }: Watching, bus: B): WatchedBus<B> => {
  const writes = new Map<string, Writes>();
  const probes = new Map<string, StopRepeating>();
  lifecycle.onStop('write probes', () => {
    for (const stop of probes.values()) void stop();
  });

  const of = (topic: string): Writes => {
    const known = writes.get(topic) ?? { failedKey: undefined, badSince: undefined };
    writes.set(topic, known);
    return known;
  };

  const succeeded = (topic: string, records: readonly OutgoingRecord[]): void => {
    const known = of(topic);
    known.badSince = undefined;
    if (known.failedKey === undefined || !records.some(({ key }) => key === known.failedKey)) return;
    known.failedKey = undefined;
    void probes.get(topic)?.();
    probes.delete(topic);
    conditions.clear(nameOf(topic), topic);
  };

  const failed = (topic: string, records: readonly OutgoingRecord[], error: unknown): void => {
    const { code, message } = toRelayError(error);
    if (code === 'record_too_large') return;
    const known = of(topic);
    known.badSince ??= clock.monotonic();
    known.failedKey ??= records[0]?.key ?? '';
    conditions.set(nameOf(topic), topic, { reason: message });
    if (eventTopics.has(topic) && !probes.has(topic))
      probes.set(
        topic,
        repeat({ clock, everyMs: probeEveryMs }, () => probe(topic)),
      );
  };

  const publish: Bus['publish'] = async (topic, records, options) => {
    try {
      await bus.publish(topic, records, options);
    } catch (error) {
      failed(topic, records, error);
      throw error;
    }
    succeeded(topic, records);
  };

  /** The second key tells a partition that fails from a topic that fails. */
  const probe = async (topic: string): Promise<void> => {
    for (const key of [of(topic).failedKey ?? '', 'write:probe'])
      await publish(topic, [writeProbe(key, clock.now())]).catch(() => undefined);
  };

  return {
    ...bus,
    publish,
    canWrite(topic) {
      const { badSince } = of(topic);
      return badSince === undefined || clock.monotonic() - badSince < tolerateMs;
    },
  };
};

const topicsEveryMs = 5_000;

/** Sets `topic_unavailable` for each topic that this process cannot use, and clears it when the brokers show that it can. */
export const watchTopics = ({ clock, conditions, lifecycle }: Watching, bus: Pick<Bus, 'topicProblems'>): void => {
  let known = new Set<string>();
  const look = (): void => {
    const problems = bus.topicProblems();
    for (const { topic, problem } of problems) conditions.set('topic_unavailable', topic, { reason: problem });
    const found = new Set(problems.map(({ topic }) => topic));
    for (const topic of known) if (!found.has(topic)) conditions.clear('topic_unavailable', topic);
    known = found;
  };
  const stop = repeat({ clock, everyMs: topicsEveryMs }, look);
  lifecycle.onStop('topics', () => void stop());
};
