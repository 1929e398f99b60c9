import type { Batch, BusRecord, Handler, OutgoingRecord } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';

/** One partition of a topic with one lane, delivered by hand. */
export interface Queue {
  readonly records: BusRecord[];
  committed: number;
}

/** A bus of two queues, source events and parked ones, whose deliveries the test decides on. */
export interface SmallBus {
  readonly source: Queue;
  readonly parked: Queue;
  append(queue: Queue, topic: string, records: readonly OutgoingRecord[]): void;
  /** Hands over up to `size` records and commits what is done. */
  deliver(queue: Queue, handler: Handler, lane: string, size: number): Promise<void>;
}

/** Makes empty queues. */
export const smallBus = (): SmallBus => {
  const source: Queue = { records: [], committed: 0 };
  const parked: Queue = { records: [], committed: 0 };
  return {
    source,
    parked,
    append(queue, topic, records) {
      for (const { key, value, headers } of records)
        queue.records.push({
          topic,
          partition: 0,
          offset: BigInt(queue.records.length),
          key,
          value: typeof value === 'string' ? Buffer.from(value) : value,
          headers: headers ?? {},
          timestamp: 0,
        });
    },
    async deliver(queue, handler, lane, size) {
      const records = queue.records.slice(queue.committed, queue.committed + size);
      if (records.length === 0) return;
      const batch: Batch = {
        topic: queue === source ? topics.sourceEvents.name : topics.sourceEventsParked.name,
        partition: 0,
        lane,
        records,
        attempt: 0,
        signal: new AbortController().signal,
      };
      const outcomes = await handler(batch);
      const waiting = outcomes.findIndex(({ kind }) => kind === 'retry');
      queue.committed += waiting < 0 ? records.length : waiting;
    },
  };
};
