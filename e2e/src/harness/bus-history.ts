import type { Bus } from '@ranger-relay/bus';
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

/** What lay on the topics of events when, read from the brokers afterwards. */
export interface BusHistory {
  /** Every record of an event, also of those that were stored twice. */
  copies(source: string, n: number): readonly Copy[];
  /** Whether the forwarders had not stored an offset behind the record at this time, ms since 1970. */
  due(copy: Copy, at: number): boolean;
  /** Records on the parked topic. */
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

const readCopies = async (bus: Bus, topic: string, found: Map<string, Copy[]>): Promise<number> => {
  let count = 0;
  for await (const { value, partition, offset } of bus.read({ topic })) {
    count += 1;
    const event = JSON.parse(Buffer.from(value).toString()) as {
      source: string;
      observation: { additional: { altitude: number } };
    };
    const id = `${event.source} ${event.observation.additional.altitude}`;
    found.set(id, [...(found.get(id) ?? []), { topic, partition, offset }]);
  }
  return count;
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

/** Reads the history of a cluster whose forwarders have finished. */
export const readBusHistory = async (brokers: string): Promise<BusHistory> => {
  const bus = await open(brokers);
  try {
    const copies = new Map<string, Copy[]>();
    const counts = new Map<string, number>();
    for (const topic of forwarded) counts.set(topic, await readCopies(bus, topic, copies));
    const stored = await storedOffsets(bus);
    return {
      copies: (source, n) => copies.get(`${source} ${n}`) ?? [],
      due: (copy, at) => {
        const before = (stored.get(laneOf(copy)) ?? []).findLast((one) => one.at <= at);
        return (before?.offset ?? 0n) <= copy.offset;
      },
      parked: counts.get(topics.sourceEventsParked.name) ?? 0,
    };
  } finally {
    await bus.close();
  }
};
