import type { Batch, BusRecord, Handler, OutgoingRecord, UndoneLanes } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';
import type { Clock } from '@ranger-relay/runtime';

/** One partition of a topic with one lane, delivered by hand. */
export interface Queue {
  readonly records: BusRecord[];
  /** How many are done in the present assignment. */
  position: number;
  /** Whether its only device waits apart. */
  apart: boolean;
  /** How many stay done when the partition changes hands. */
  committed: number;
  /** How many were announced, by this owner and by those before. */
  announced: number;
  maybeSentBelow: number;
  /** Offsets that a handler has left as maybe sent. */
  readonly maybeSent: Set<bigint>;
  /** Ends with the present assignment. */
  assignment: AbortController;
}

/** A bus of two queues, source events and parked ones, whose deliveries the test decides on. */
export interface SmallBus {
  readonly source: Queue;
  readonly parked: Queue;
  append(queue: Queue, topic: string, records: readonly OutgoingRecord[]): void;
  /** Hands over up to `size` records; commits what is done unless told not to. */
  deliver(queue: Queue, handler: Handler, lane: string, size: number, commit?: boolean): Promise<void>;
  /** Gives the queue to somebody else: what was not committed comes again. */
  reassign(queue: Queue): void;
  /** Everything on the queue is done and committed. */
  finished(queue: Queue): boolean;
  /** What is undone of the parked queue, as its owner knows it. */
  readonly undone: UndoneLanes;
}

const emptyQueue = (): Queue => ({
  records: [],
  position: 0,
  apart: false,
  committed: 0,
  announced: 0,
  maybeSentBelow: 0,
  maybeSent: new Set(),
  assignment: new AbortController(),
});

/** Makes empty queues. */
export const smallBus = (clock: Pick<Clock, 'now'>): SmallBus => {
  const source = emptyQueue();
  const parked = emptyQueue();
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
          timestamp: clock.now(),
        });
    },
    async deliver(queue, handler, lane, size, commit = true) {
      const { assignment, position } = queue;
      const records = queue.records.slice(position, position + size);
      if (commit) queue.committed = position;
      if (records.length === 0) return;
      const batch: Batch = {
        topic: queue === source ? topics.sourceEvents.name : topics.sourceEventsParked.name,
        partition: 0,
        lane,
        records,
        apart: queue.apart,
        attempt: 0,
        maybeSent: records.map(({ offset }) => offset < queue.maybeSentBelow || queue.maybeSent.has(offset)),
        async announce() {
          if (queue.assignment !== assignment) return false;
          queue.announced = Math.max(queue.announced, position + records.length);
          return true;
        },
        signal: assignment.signal,
      };
      const outcomes = await handler(batch);
      if (queue.assignment !== assignment) return;
      for (const [index, outcome] of outcomes.entries())
        if (outcome.kind === 'retry' && outcome.maybeSent) queue.maybeSent.add((records[index] as BusRecord).offset);
      const waiting = outcomes.findIndex(({ kind }) => kind === 'retry');
      queue.apart ||= outcomes.some((outcome) => outcome.kind === 'retry' && outcome.apart);
      queue.position += waiting < 0 ? records.length : waiting;
      if (commit) queue.committed = queue.position;
    },
    reassign(queue) {
      queue.assignment.abort();
      queue.assignment = new AbortController();
      queue.apart = false;
      queue.maybeSent.clear();
      queue.maybeSentBelow = queue.announced;
      queue.position = queue.committed;
    },
    finished: ({ records, position, committed }) => position === records.length && committed === records.length,
    undone: {
      has: (device) => parked.records.slice(parked.position).some(({ key }) => key === device),
      names: () => [...new Set(parked.records.slice(parked.position).map(({ key }) => key))],
    },
  };
};
