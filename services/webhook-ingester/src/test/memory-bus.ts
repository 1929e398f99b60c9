import type { Bus, OutgoingRecord } from '@ranger-relay/bus';
import { topics, type DeadLetter, type SourceEvent } from '@ranger-relay/contracts';

/** One call of `publish`. */
export interface PublishCall {
  readonly topic: string;
  readonly records: readonly OutgoingRecord[];
  readonly deadlineMs: number | undefined;
}

/** A bus that remembers what it was given and can be told to fail or to hang. */
export interface MemoryBus {
  readonly bus: Bus;
  readonly calls: PublishCall[];
  /** Runs before a call is stored; what it throws or waits for is the call's. */
  before: (call: PublishCall) => void | Promise<void>;
  ready: boolean;
  events(): SourceEvent[];
  letters(): DeadLetter[];
}

/** Makes an empty bus. */
export const memoryBus = (): MemoryBus => {
  const calls: PublishCall[] = [];
  const values = (...names: string[]): unknown[] =>
    calls
      .filter((call) => names.includes(call.topic))
      .flatMap(({ records }) => records.map(({ value }) => JSON.parse(String(value)) as unknown));
  const memory: MemoryBus = {
    calls,
    before: () => undefined,
    ready: true,
    events: () => values(topics.sourceEvents.name, topics.emergencies.name) as SourceEvent[],
    letters: () => values(topics.deadLetters.name) as DeadLetter[],
    bus: {
      async publish(topic: string, records: readonly OutgoingRecord[], options: { deadlineMs?: number } = {}) {
        const call = { topic, records: [...records], deadlineMs: options.deadlineMs };
        await memory.before(call);
        calls.push(call);
      },
      lastRecords: async () => ({ partitions: 0, newer: [] }),
      ready: () => memory.ready,
    } as unknown as Bus,
  };
  return memory;
};
