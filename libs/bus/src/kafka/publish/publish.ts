import { RelayError, toRelayError } from '@ranger-relay/errors';
import { type Clock, endsWithin, type MetricName, type Metrics } from '@ranger-relay/runtime';
import { partitionOf } from '../../partitioner.ts';
import { type Bus, checkSize, type OutgoingRecord } from '../../port.ts';
import type { ClusterMetadata } from '../client/cluster-metadata.ts';
import { unavailable } from '../client/problems.ts';
import { recordSize } from '../wire/record-batch.ts';
import { batchLimit, type Call, cut, type Entry, failed } from './queue.ts';
import type { Sender } from './sender.ts';

/** Resolves the number of partitions of a topic for calls, in the order of the calls. */
interface PartitionCountResolver {
  /** Runs `go` at once when the number is known and no earlier call waits for it; otherwise after the earlier calls. */
  when(call: Call, go: (partitions: number) => void): void;
  close(): void;
}

interface Waiter {
  readonly call: Call;
  readonly go: (partitions: number) => void;
}

const refreshMs = 100;

/**
 * Creates the resolver of one client. It sends one request at a time for a topic, as long as a call waits for it: brokers know a topic only a
 * while after its creation or their own start.
 */
const createPartitionCountResolver = (metadata: ClusterMetadata, clock: Clock): PartitionCountResolver => {
  const waiting = new Map<string, Waiter[]>();
  let closed = false;

  const end = (topic: string, each: (waiter: Waiter) => void): void => {
    const waiters = waiting.get(topic) ?? [];
    waiting.delete(topic);
    for (const waiter of waiters) if (!waiter.call.over) each(waiter);
  };

  /** False when the request must be repeated. */
  const requestOnce = async (topic: string): Promise<boolean> => {
    try {
      const partitions = await metadata.partitions(topic);
      end(topic, ({ go }) => go(partitions));
      return true;
    } catch (error) {
      const problem = toRelayError(error);
      const left = (waiting.get(topic) ?? []).filter(({ call }) => !call.over);
      waiting.set(topic, left);
      for (const { call } of left) call.problem = problem;
      const over = closed || left.length === 0;
      if (over) end(topic, ({ call }) => failed(call, problem));
      return over;
    }
  };

  const resolve = async (topic: string): Promise<void> => {
    while (!(await requestOnce(topic))) {
      await clock.sleep(refreshMs);
      if (!closed) await metadata.refresh().catch(() => undefined);
    }
  };

  return {
    when(call, go) {
      const others = waiting.get(call.topic);
      if (others) return void others.push({ call, go });
      const known = metadata.known(call.topic);
      if (known !== undefined) return go(known);
      waiting.set(call.topic, [{ call, go }]);
      void resolve(call.topic);
    },
    close: () => {
      closed = true;
    },
  };
};

interface PublishDependencies {
  readonly metadata: ClusterMetadata;
  readonly sender: Sender;
  readonly clock: Clock;
  readonly metrics: Metrics<MetricName>;
  /** Maximum size of a record of a topic, bytes. */
  readonly maxRecordBytes: (topic: string) => number;
}

interface Publisher {
  readonly publish: Bus['publish'];
  /** Waits for open calls up to the deadline; the others then fail. */
  close(deadlineMs: number): Promise<void>;
}

const defaultDeadlineMs = 4_000;
/** Calls beyond this are refused at once, because the brokers are slower than the callers. */
const maxWaitingBytes = 64 * 1_048_576;
const sweepMs = 50;

/** Records by partition, in order, in pieces that fit into a batch. */
const split = (topic: string, all: readonly OutgoingRecord[], partitions: number): Omit<Entry, 'call'>[] => {
  const byPartition = new Map<number, OutgoingRecord[]>();
  for (const record of all) {
    const partition = partitionOf(record.key, partitions);
    const its = byPartition.get(partition);
    if (its) its.push(record);
    else byPartition.set(partition, [record]);
  }
  return [...byPartition].flatMap(([partition, its]) =>
    cut(its, batchLimit.bytes).map(({ records, bytes }) => ({ topic, partition, records, bytes })),
  );
};

/** Creates `publish`. A resolved call is durable on all in-sync replicas; a rejected call may still be stored. */
export const createPublisher = (parts: PublishDependencies): Publisher => {
  const { metadata, sender, clock, metrics, maxRecordBytes } = parts;
  const resolver = createPartitionCountResolver(metadata, clock);
  const calls = new Set<Call>();
  let waitingBytes = 0;
  let sweeping = false;
  let closed = false;

  const late = ({ topic, deadlineMs: ms, sent: ambiguous, problem }: Call): RelayError => {
    if (problem && !ambiguous) return problem;
    const failures = sender.failures();
    const reason = failures.get(topic) ?? failures.get('');
    return reason === undefined
      ? new RelayError('deadline_exceeded', { details: { what: `Publishing to ${topic}`, ms }, ambiguous })
      : new RelayError('bus_unavailable', { details: { reason }, ambiguous });
  };

  const sweep = (): void => {
    const now = clock.monotonic();
    const before = calls.size;
    for (const call of calls) if (call.deadline <= now) failed(call, late(call));
    if (calls.size < before) sender.tidy();
    sweeping = calls.size > 0;
    if (sweeping) clock.after(sweepMs, sweep);
  };

  const watch = (call: Call): void => {
    calls.add(call);
    if (sweeping) return;
    sweeping = true;
    clock.after(sweepMs, sweep);
  };

  const send = (topic: string, records: readonly OutgoingRecord[], deadlineMs: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const bytes = records.reduce((sum, record) => sum + recordSize(record), 0);
      waitingBytes += bytes;
      const over = (): void => {
        waitingBytes -= bytes;
        calls.delete(call);
      };
      const call: Call = {
        topic,
        deadlineMs,
        left: 0,
        stored: 0,
        deadline: clock.monotonic() + deadlineMs,
        sent: false,
        over: false,
        done: () => {
          over();
          resolve();
        },
        fail: (error) => {
          over();
          reject(error);
        },
      };
      watch(call);
      resolver.when(call, (partitions) => {
        delete call.problem;
        const pieces = split(topic, records, partitions);
        call.left = pieces.length;
        for (const piece of pieces) sender.enqueue({ ...piece, call });
      });
    });

  const check = (topic: string, records: readonly OutgoingRecord[]): void => {
    const spec = { name: topic, maxRecordBytes: maxRecordBytes(topic) };
    for (const record of records) checkSize(spec, record);
    if (closed) throw new RelayError('bus_unavailable', { details: { reason: 'it is closed' } });
    if (waitingBytes > maxWaitingBytes)
      throw new RelayError('bus_unavailable', {
        details: { reason: `${Math.round(waitingBytes / 1_048_576)} MiB are already waiting for the brokers` },
      });
  };

  return {
    async publish(topic, records, { deadlineMs = defaultDeadlineMs } = {}) {
      check(topic, records);
      if (records.length === 0) return;
      const started = clock.monotonic();
      await send(topic, records, deadlineMs);
      metrics.observe('relay_bus_publish_seconds', (clock.monotonic() - started) / 1_000, { topic });
    },
    async close(deadlineMs) {
      closed = true;
      resolver.close();
      await endsWithin({ clock, ms: deadlineMs }, sender.idle());
      for (const call of calls)
        failed(call, unavailable(new Error('it was closed before the broker answered'), call.sent));
      sender.close();
    },
  };
};
