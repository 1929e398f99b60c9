import type { Bus, LostRecords, OutgoingRecord } from '@ranger-relay/bus';
import { integrationOfKey, topics } from '@ranger-relay/contracts';
import { toRelayError } from '@ranger-relay/errors';
import { type ConditionName, type Context, type Details, type Probe, repeat, runProbe } from '@ranger-relay/runtime';

type Watching = Pick<Context, 'clock' | 'conditions' | 'lifecycle'>;

/** Topics whose records are events of devices; a webhook is answered 503 while one of them cannot be written. */
export const eventTopics: readonly string[] = [topics.sourceEvents.name, topics.emergencies.name];

/** Soon enough to find a short failure gone before anybody would be sent away. */
const probeEveryMs = 3_000;
const catalogue = Object.values(topics).map(({ name }) => name);
/** A broker that changes its leader fails for a moment; after this time nothing can be promised to the vendor. */
const tolerateMs = 5_000;

const probeIntegration = 'write';

/** Key of a record that only tries a topic. No device's key: what it tells of is the topic. */
export const probeKey = `${probeIntegration}:probe`;

/** Whether records of a key only try a topic: nobody waits for them. */
export const isProbeKey = (key: string): boolean => integrationOfKey(key) === probeIntegration;

const nameOf = (topic: string) => (eventTopics.includes(topic) ? 'bus_write_failing' : 'topic_write_failing');

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
  /** Keys of records that could not be written, of several partitions perhaps: a later one of the same key proves that it can be. */
  readonly failedKeys: Set<string>;
  /** The first failure since the last good write, monotonic ms. */
  badSince: number | undefined;
}

/** Tried again by the probe; with so many, each partition that fails is among them. */
const maxFailedKeys = 32;

/** A bus whose failed writes are conditions. */
export type WatchedBus<B extends Bus = Bus> = B & {
  /** Whether the topic can be written: false when all writes have failed for 5 s. */
  canWrite(topic: string): boolean;
};

/**
 * Sets `bus_write_failing` (topics of events) or `topic_write_failing` (others) when a write fails, and clears it when
 * what failed can be written. A topic of events is tried again every 3 s: without traffic nobody else would. Of another topic any good write
 * counts: its failed keys may never come again.
 * @param oneFile all topics are one file: what can be written to one can be written to all
 */
export const watchBusWrites = <B extends Bus>(
  { clock, conditions, lifecycle }: Watching,
  bus: B,
  { oneFile = false }: { readonly oneFile?: boolean } = {},
): WatchedBus<B> => {
  const writes = new Map<string, Writes>();

  const of = (topic: string): Writes => {
    const known = writes.get(topic) ?? { failedKeys: new Set(), badSince: undefined };
    writes.set(topic, known);
    return known;
  };

  const succeeded = (topic: string, records: readonly OutgoingRecord[]): void => {
    const known = of(topic);
    known.badSince = undefined;
    const { failedKeys } = known;
    if (oneFile || !eventTopics.includes(topic)) failedKeys.clear();
    for (const { key } of records) failedKeys.delete(key);
    // What another process holds is not proven wrong: it knows of other keys.
    if (failedKeys.size > 0) return;
    for (const each of oneFile ? new Set([...catalogue, ...writes.keys()]) : [topic]) {
      of(each).badSince = undefined;
      if (conditions.find(nameOf(each), each)) conditions.clear(nameOf(each), each);
    }
  };

  const failed = (topic: string, records: readonly OutgoingRecord[], error: unknown): void => {
    const { code, message } = toRelayError(error);
    if (code === 'record_too_large') return;
    const known = of(topic);
    known.badSince ??= clock.monotonic();
    for (const { key } of records) if (known.failedKeys.size < maxFailedKeys) known.failedKeys.add(key);
    conditions.set(nameOf(topic), topic, { reason: message, code });
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

  /** The second key tells a partition that fails from a topic that fails. What is written sets or clears. */
  const tryWriting = async (topic: string): Promise<undefined> => {
    const tried = [...new Set([...of(topic).failedKeys, probeKey])].map((key) =>
      publish(topic, [writeProbe(key, clock.now())]),
    );
    await Promise.allSettled(tried);
    return undefined;
  };
  for (const topic of eventTopics) {
    const probe: Probe = {
      name: 'bus_write_failing',
      subject: topic,
      everyMs: probeEveryMs,
      whileSet: true,
      ask: () => tryWriting(topic),
    };
    const stop = runProbe({ clock, conditions }, probe);
    lifecycle.onStop('write probes', () => void stop());
  }

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

/**
 * Sets `topic_unavailable` for each topic that this process cannot use and `topic_limit_low` for each that takes smaller records than allowed, and
 * clears them when the brokers show that it is over.
 */
export const watchTopics = (
  { clock, conditions, lifecycle }: Watching,
  bus: Pick<Bus, 'topicProblems' | 'lowLimits'>,
): void => {
  const follow = (name: ConditionName, found: ReadonlyMap<string, Details>): void => {
    for (const [topic, details] of found) conditions.set(name, topic, details);
    for (const active of conditions.active()) {
      const { subject } = active;
      if (active.name !== name || found.has(subject)) continue;
      conditions.clear(name, subject);
      // What could not be written to a topic that was not usable is not tried again: its records may be rare.
      if (name === 'topic_unavailable') conditions.clear('topic_write_failing', subject);
    }
  };
  const stop = repeat({ clock, everyMs: topicsEveryMs }, () => {
    follow('topic_unavailable', new Map(bus.topicProblems().map(({ topic, problem }) => [topic, { reason: problem }])));
    follow('topic_limit_low', new Map(bus.lowLimits().map(({ topic, takes, allowed }) => [topic, { takes, allowed }])));
  });
  lifecycle.onStop('topics', () => void stop());
};

const lostWhy = {
  retention: 'the brokers deleted them, because they keep records for too short a time',
  recreated: 'their topic was deleted and created again',
} as const;

/** Sets `records_lost` for records that the brokers do not have any more and that were not handled; a person's word ends it. */
export const noteLost =
  ({ conditions }: Pick<Context, 'conditions'>): ((lost: LostRecords) => void) =>
  ({ topic, reason, records }) => {
    // What a group without offsets passes over was handled, most likely.
    if (reason === 'no_offsets') return;
    const before = Number(conditions.find('records_lost', topic)?.details['records'] ?? 0);
    conditions.set('records_lost', topic, { records: before + records, reason: lostWhy[reason] });
  };
