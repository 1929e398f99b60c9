import { movedHeaders, storedOf, type Bus, type BusRecord, type UndoneLanes } from '@ranger-relay/bus';
import { isRelayError } from '@ranger-relay/errors';
import type { Random } from '@ranger-relay/runtime';

/** A record to park, with headers to add. */
export interface ParkedRecord {
  readonly record: BusRecord;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The devices with events on the parked topic: their later events must follow them there, to keep their order. One process owns a device in both
 * topics, so this is its own memory: what the parked partition holds when it is assigned, and what the process appends from then on.
 */
export interface Parking {
  /** Whether events of this device are on the parked topic; null while that is not known. */
  holds(partition: number, device: string): boolean | null;
  /** Whether events can be appended to the parked topic; otherwise they wait where they are. */
  possible(): boolean;
  /**
   * Appends records to the parked topic, in order. After a kill before the commit they are appended again, and the record of what was delivered
   * drops the second copy, unless the store has forgotten it. Resolves to those that it did not append, because the topic refuses them for their
   * size, or an earlier one of their device.
   */
  park<T extends ParkedRecord>(records: readonly T[]): Promise<readonly T[]>;
  /** A record of the parked topic is done. */
  finished(record: BusRecord): void;
}

/** Dependencies of parking. */
export interface ParkingDependencies {
  readonly bus: Pick<Bus, 'publish' | 'topicProblems'>;
  readonly topic: string;
  readonly random: Pick<Random, 'uuid'>;
  /** What is undone in a partition of the parked topic; null while this process does not read it. */
  readonly undone: (partition: number) => UndoneLanes | null;
}

/** Header of a parked record: names its append, and its place in it. */
const appendHeader = 'parked-as';

/** Creates the parking of one process. */
export const createParking = ({ bus, topic, random, undone }: ParkingDependencies): Parking => {
  /** The last record that was appended of each device, until it is done: the bus may not have read it yet. */
  const appended = new Map<string, string>();
  const problem = () => bus.topicProblems().find((each) => each.topic === topic);

  /** Resolves to the records from the first one on that the topic refuses for its size. */
  const append = async <T extends ParkedRecord>(device: string, records: readonly T[]): Promise<readonly T[]> => {
    const [name, earlier] = [random.uuid(), appended.get(device)];
    const nameOf = (index: number): string => `${name}-${index}`;
    // Before the append: one that failed may have been stored.
    appended.set(device, nameOf(records.length - 1));
    const copies = records.map(({ record, headers }, index) => ({
      key: device,
      value: record.value,
      headers: { ...movedHeaders(record), ...headers, [appendHeader]: nameOf(index) },
    }));
    try {
      await bus.publish(topic, copies);
      return [];
    } catch (error) {
      if (isRelayError(error, 'bus_topic_unknown')) appended.delete(device);
      if (!isRelayError(error, 'record_too_large')) throw error;
      const stored = storedOf(error);
      const last = stored > 0 ? nameOf(stored - 1) : earlier;
      if (last === undefined) appended.delete(device);
      else appended.set(device, last);
      return records.slice(stored);
    }
  };

  return {
    holds(partition, device) {
      if (appended.has(device)) return true;
      // A topic that was never there holds nothing.
      return undone(partition)?.has(device) ?? (problem()?.isMissing ? false : null);
    },
    possible: () => problem() === undefined,
    async park(records) {
      const devices = Map.groupBy(records, ({ record: { key } }) => key);
      const refused = await Promise.all([...devices].map(([device, some]) => append(device, some)));
      return refused.flat();
    },
    finished({ key, headers }) {
      if (appended.get(key) === headers[appendHeader]) appended.delete(key);
    },
  };
};
