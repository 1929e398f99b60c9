import type { Bus, BusRecord } from '@ranger-relay/bus';
import { openKafkaBus } from '@ranger-relay/bus/kafka';
import { topics } from '@ranger-relay/contracts';
import { forwarderGroup } from '@ranger-relay/observation-forwarder';
import { systemClock } from '@ranger-relay/runtime';
import { testContext } from '@ranger-relay/runtime/testing';
import { until } from './until.ts';

/** One record of an event. */
export interface Copy {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
}

/** History of the topics of events, including records that were deleted after handling. */
export interface BusHistory {
  /** Every record of an event, also of those that were stored twice. */
  copies(source: string, n: number): readonly Copy[];
  /** Whether the forwarders had not stored an offset behind the record at this time, ms since 1970. */
  due(copy: Copy, at: number): boolean;
  /** Places of an event, and the offsets stored for those partitions between two times, for display. */
  tell(source: string, n: number, from: number, to: number): string;
  /** Records that were parked. */
  readonly parked: number;
}

interface Stored {
  readonly at: number;
  readonly offset: bigint;
}

const offsetsTopic = '__consumer_offsets';
const forwarded: readonly string[] = [
  topics.sourceEvents.name,
  topics.sourceEventsParked.name,
  topics.emergencies.name,
];

const open = async (brokers: string): Promise<Bus> => {
  const { random, log, metrics } = testContext();
  const names = [...forwarded, offsetsTopic];
  const bus = openKafkaBus({
    settings: { brokers: brokers.split(','), clientId: 'history', prefix: '', sessionTimeoutMs: 6_000 },
    topics: names.map((name) => ({ name, maxRecordBytes: 1_048_576 })),
    clock: systemClock,
    random,
    log,
    metrics,
  });
  await until('the brokers answer', () => bus.ready());
  return bus;
};

/** Records of events, each once, however often they are read. */
interface Copies {
  add(record: Pick<BusRecord, 'topic' | 'partition' | 'offset' | 'value'>): void;
  of(source: string, n: number): readonly Copy[];
  count(topic: string): number;
}

const createCopies = (): Copies => {
  const places = new Set<string>();
  const found = new Map<string, Copy[]>();
  return {
    add({ topic, partition, offset, value }) {
      const place = `${topic}/${partition}@${offset}`;
      if (places.has(place)) return;
      places.add(place);
      const event = JSON.parse(Buffer.from(value).toString()) as {
        source: string;
        observation: { additional: { altitude: number } };
      };
      const id = `${event.source} ${event.observation.additional.altitude}`;
      found.set(id, [...(found.get(id) ?? []), { topic, partition, offset }]);
    },
    of: (source, n) => found.get(`${source} ${n}`) ?? [],
    count: (topic) => [...places].filter((place) => place.startsWith(`${topic}/`)).length,
  };
};

/** Reads a topic on and on, through the deaths of its brokers. */
const follow = async (bus: Bus, topic: string, copies: Copies, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted)
    try {
      for await (const record of bus.read({ topic, follow: true, signal })) copies.add(record);
    } catch {
      await systemClock.sleep(200, signal).catch(() => undefined);
    }
};

const laneOf = ({ topic, partition }: Pick<Copy, 'topic' | 'partition'>): string => `${topic}/${partition}`;

/** Key of a stored offset: version 0 or 1, group, topic (each a length and its bytes), partition. */
const placeOf = (key: string): { group: string; topic: string; partition: number } | undefined => {
  const bytes = Buffer.from(key);
  if (bytes.length < 2 || bytes.readInt16BE(0) > 1) return undefined;
  const groupEnd = 4 + bytes.readInt16BE(2);
  const topicEnd = groupEnd + 2 + bytes.readInt16BE(groupEnd);
  const topic = bytes.toString('utf8', groupEnd + 2, topicEnd);
  return { group: bytes.toString('utf8', 4, groupEnd), topic, partition: bytes.readInt32BE(topicEnd) };
};

/** Offsets that the forwarders stored, by topic and partition, oldest first. The value begins with a version and the offset. */
const storedOffsets = async (bus: Bus): Promise<Map<string, Stored[]>> => {
  const found = new Map<string, Stored[]>();
  for await (const { key, value, timestamp } of bus.read({ topic: offsetsTopic })) {
    const place = placeOf(key);
    if (place?.group !== forwarderGroup || !forwarded.includes(place.topic) || value.length < 10) continue;
    const stored = { at: timestamp, offset: Buffer.from(value).readBigInt64BE(2) };
    found.set(laneOf(place), [...(found.get(laneOf(place)) ?? []), stored]);
  }
  return found;
};

/** Follows the topics of a cluster. */
export interface FollowedBus {
  /** Everything that lay on them, once the forwarders have finished. Ends the following. */
  history(): Promise<BusHistory>;
}

/** Begins to follow the topics of a cluster whose topics exist. */
export const followBus = async (brokers: string): Promise<FollowedBus> => {
  const bus = await open(brokers);
  const copies = createCopies();
  const ending = new AbortController();
  const following = forwarded.map((topic) => follow(bus, topic, copies, ending.signal));
  const read = async (): Promise<BusHistory> => {
    for (const topic of forwarded) for await (const record of bus.read({ topic })) copies.add(record);
    const stored = await storedOffsets(bus);
    const tell = (copy: Copy, from: number, to: number): string => {
      const all = stored.get(laneOf(copy)) ?? [];
      const seen = [all.findLast(({ at }) => at < from), ...all.filter(({ at }) => at >= from && at <= to)];
      const offsets = seen.flatMap((one) =>
        one ? [`${new Date(one.at).toISOString().slice(14, 23)} ${one.offset}`] : [],
      );
      return `${laneOf(copy)}@${copy.offset} [${offsets.join(', ')}]`;
    };
    return {
      copies: copies.of,
      tell: (source, n, from, to) =>
        copies
          .of(source, n)
          .map((copy) => tell(copy, from, to))
          .join(' and '),
      due: (copy, at) => {
        const before = (stored.get(laneOf(copy)) ?? []).findLast((one) => one.at <= at);
        return (before?.offset ?? 0n) <= copy.offset;
      },
      parked: copies.count(topics.sourceEventsParked.name),
    };
  };
  return {
    async history() {
      try {
        return await read();
      } finally {
        ending.abort();
        await Promise.all(following);
        await bus.close();
      }
    },
  };
};

/** Reads what lies on the topics of a cluster now. */
export const readBusHistory = async (brokers: string): Promise<BusHistory> => (await followBus(brokers)).history();
