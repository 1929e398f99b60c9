import type { Bus } from '@ranger-relay/bus';
import { openKafkaBus } from '@ranger-relay/bus/kafka';
import { topics } from '@ranger-relay/contracts';
import { forwarderGroup } from '@ranger-relay/observation-forwarder';
import { systemClock } from '@ranger-relay/runtime';
import { testContext } from '@ranger-relay/runtime/testing';
import { until } from './until.ts';

/** One record of an event. */
export interface Copy {
  readonly partition: number;
  readonly offset: bigint;
}

/** What lay on the source events when, read from the brokers afterwards. */
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

const open = async (brokers: string): Promise<Bus> => {
  const { random, log, metrics } = testContext();
  const names = [topics.sourceEvents.name, topics.sourceEventsParked.name, offsetsTopic];
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

const copiesOf = async (bus: Bus): Promise<Map<string, Copy[]>> => {
  const found = new Map<string, Copy[]>();
  for await (const { value, partition, offset } of bus.read({ topic: topics.sourceEvents.name })) {
    const event = JSON.parse(Buffer.from(value).toString()) as {
      source: string;
      observation: { additional: { altitude: number } };
    };
    const id = `${event.source} ${event.observation.additional.altitude}`;
    found.set(id, [...(found.get(id) ?? []), { partition, offset }]);
  }
  return found;
};

/** Key of a stored offset: version 0 or 1, group, topic (each a length and its bytes), partition. */
const placeOf = (key: string): { group: string; topic: string; partition: number } | undefined => {
  const bytes = Buffer.from(key);
  if (bytes.length < 2 || bytes.readInt16BE(0) > 1) return undefined;
  const groupEnd = 4 + bytes.readInt16BE(2);
  const topicEnd = groupEnd + 2 + bytes.readInt16BE(groupEnd);
  const topic = bytes.toString('utf8', groupEnd + 2, topicEnd);
  return { group: bytes.toString('utf8', 4, groupEnd), topic, partition: bytes.readInt32BE(topicEnd) };
};

/** Offsets that the forwarders stored, by partition, oldest first. The value begins with a version and the offset. */
const storedOffsets = async (bus: Bus): Promise<Map<number, Stored[]>> => {
  const found = new Map<number, Stored[]>();
  for await (const { key, value, timestamp } of bus.read({ topic: offsetsTopic })) {
    const place = placeOf(key);
    if (place?.group !== forwarderGroup || place.topic !== topics.sourceEvents.name || value.length < 10) continue;
    const stored = { at: timestamp, offset: Buffer.from(value).readBigInt64BE(2) };
    found.set(place.partition, [...(found.get(place.partition) ?? []), stored]);
  }
  return found;
};

/** Reads the history of a cluster whose forwarders have finished. */
export const readBusHistory = async (brokers: string): Promise<BusHistory> => {
  const bus = await open(brokers);
  try {
    const [copies, stored] = await Promise.all([copiesOf(bus), storedOffsets(bus)]);
    let parked = 0;
    for await (const _ of bus.read({ topic: topics.sourceEventsParked.name })) parked += 1;
    return {
      copies: (source, n) => copies.get(`${source} ${n}`) ?? [],
      due: ({ partition, offset }, at) => {
        const before = (stored.get(partition) ?? []).findLast((one) => one.at <= at);
        return (before?.offset ?? 0n) <= offset;
      },
      parked,
    };
  } finally {
    await bus.close();
  }
};
