import type { Bus, BusRecord, OutgoingRecord, ReadOptions } from '@ranger-relay/bus';
import { RelayError } from '@ranger-relay/errors';

/** One call of publish. */
export interface Published {
  readonly topic: string;
  readonly records: readonly OutgoingRecord[];
}

/** The parts of a bus that the platform library uses, in memory. */
export interface MemoryBus extends Pick<Bus, 'publish' | 'read'> {
  readonly published: Published[];
  /** Every try to publish, also failed ones. */
  tries: number;
  /** Decides over each try; what it throws is the answer. */
  onPublish: () => void | Promise<void>;
  readonly reads: ReadOptions[];
  /** Lets readers have a record. */
  deliver(value: string, headers?: Record<string, string>): void;
  /** Ends the present readers with a failure. */
  failReaders(): void;
}

/** Makes one. */
export const memoryBus = (): MemoryBus => {
  const waiting: { push: (record: BusRecord) => void; fail: (error: Error) => void }[] = [];
  let offset = 0n;

  const follow = async function* ({ signal }: ReadOptions): AsyncGenerator<BusRecord> {
    const records: BusRecord[] = [];
    let failure: Error | undefined;
    let wake: (() => void) | undefined;
    const reader = {
      push: (record: BusRecord) => {
        records.push(record);
        wake?.();
      },
      fail: (error: Error) => {
        failure = error;
        wake?.();
      },
    };
    waiting.push(reader);
    signal?.addEventListener('abort', () => wake?.());
    for (;;) {
      if (signal?.aborted) return;
      const record = records.shift();
      if (record) yield record;
      else if (failure) throw failure;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  };

  const bus: MemoryBus = {
    published: [],
    tries: 0,
    onPublish: () => undefined,
    reads: [],
    async publish(topic, records) {
      bus.tries += 1;
      await bus.onPublish();
      bus.published.push({ topic, records });
    },
    read(options) {
      bus.reads.push({ ...options, ...(options.offsets ? { offsets: new Map(options.offsets) } : {}) });
      return follow(options);
    },
    deliver(value, headers = {}) {
      offset += 1n;
      const record = { topic: 'config-events', partition: 3, offset, key: 'k', headers, timestamp: 0 };
      for (const { push } of waiting) push({ ...record, value: new TextEncoder().encode(value) });
    },
    failReaders() {
      for (const { fail } of waiting.splice(0))
        fail(new RelayError('bus_unavailable', { details: { reason: 'test' } }));
    },
  };
  return bus;
};
