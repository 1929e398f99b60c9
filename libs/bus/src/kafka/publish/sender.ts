import { RelayError } from '@ranger-relay/errors';
import type { Clock, Logger } from '@ranger-relay/runtime';
import { type ClusterMetadata, createSearch } from '../client/cluster-metadata.ts';
import { createFailureTracker, problemOf } from '../client/problems.ts';
import { codes, factsOf, produce, type ProduceAnswer } from '../wire/requests.ts';
import { encodeBatch } from '../wire/record-batch.ts';
import {
  batchLimit,
  type Entry,
  failed,
  fitting,
  type PartitionQueue,
  putBack,
  stored,
  takeBatch,
  tidy,
} from './queue.ts';

export interface SenderDependencies {
  readonly metadata: ClusterMetadata;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Sends the queued entries, with one request per broker at a time; the next one fills meanwhile. */
export interface Sender {
  enqueue(entry: Entry): void;
  /** The latest failure of each topic; that of the brokers as a whole has the name ''. */
  failures(): ReadonlyMap<string, string>;
  /** Drops entries of ended calls. */
  tidy(): void;
  /** Resolves when no entry waits. */
  idle(): Promise<void>;
  /** Stops sending. */
  close(): void;
}

interface InFlightBatch {
  readonly queue: PartitionQueue;
  batch: readonly Entry[];
}

const pauseMs = 100;
/** Maximum bytes of one request. */
const flightBytes = 4 * 1_048_576;

const keyOf = (topic: string, partition: number): string => `${topic} ${partition}`;

const bytesOf = (batch: readonly Entry[]): number => batch.reduce((sum, { bytes }) => sum + bytes, 0);

const encode = ({ queue, batch }: InFlightBatch, at: number) => ({
  topic: queue.topic,
  partition: queue.partition,
  batch: encodeBatch(batch.length === 1 ? (batch[0] as Entry).records : batch.flatMap(({ records }) => records), at),
});

const tooLarge = ({ topic, bytes, call: { stored: count } }: Entry): RelayError =>
  new RelayError('record_too_large', { details: { bytes, limit: 'what the broker allows', topic, stored: count } });

const refused = (message: string): RelayError =>
  new RelayError('bus_unavailable', { details: { reason: `the broker refused: ${message}` } });

const iso = (ms: number): string => new Date(ms).toISOString();

/** Names both clocks. The broker's text has the range of times that it takes, which ends an hour, or what the topic allows, after its own. */
const clockProblem = (ours: number, detail: string): string => {
  const latest = /\[-?\d+, ?(\d{1,15})\]/.exec(detail)?.[1];
  const theirs =
    latest === undefined
      ? 'records of that time are out of its range'
      : `the broker takes records up to ${iso(Number(latest))} by its own clock`;
  return `the clock of this machine says ${iso(ours)}, and ${theirs}; correct the clock, or run \`ranger-relay topics apply\``;
};

/** Splits a batch that exceeds the broker's limit. A single record that is too large fails only its own call. */
const shrink = ({ queue, batch }: InFlightBatch): void => {
  const [first] = batch;
  if (first && batch.length === 1 && first.records.length === 1) return failed(first.call, tooLarge(first));
  queue.limit = Math.min(queue.limit, Math.floor(bytesOf(batch) / 2));
  putBack(
    queue,
    batch.flatMap((entry) => (entry.call.over ? [] : fitting(entry, queue.limit))),
  );
};

/** Drops entries of calls that ended meanwhile: their callers were told that nothing was sent. */
const dropExpired = (flights: readonly InFlightBatch[]): InFlightBatch[] => {
  for (const flight of flights) flight.batch = flight.batch.filter(({ call }) => !call.over);
  const remaining = flights.filter(({ batch }) => batch.length > 0);
  for (const { batch } of remaining) for (const { call } of batch) call.sent = true;
  return remaining;
};

export const createSender = ({ metadata, clock, log }: SenderDependencies): Sender => {
  const queues = new Map<string, PartitionQueue>();
  /** Queues with entries that no request contains yet. */
  const waiting = new Set<PartitionQueue>();
  /** Queues that wait for the metadata, because their partition has moved; the others continue. */
  const moved = new Set<PartitionQueue>();
  const busyNodes = new Set<number>();
  const failures = createFailureTracker(
    clock,
    log,
    'records cannot be stored now; retrying',
    'records are stored again',
  );
  let scheduled = false;
  let closed = false;
  let idleWaiters: (() => void)[] = [];

  const schedule = (): void => {
    if (scheduled || waiting.size === 0) return;
    scheduled = true;
    setImmediate(pump);
  };

  const isIdle = (): boolean => waiting.size === 0 && moved.size === 0 && busyNodes.size === 0;

  const resolveIdle = (): void => {
    if (!isIdle()) return;
    for (const end of idleWaiters) end();
    idleWaiters = [];
  };

  const release = (queue: PartitionQueue): void => {
    queue.busy = false;
    if (queue.entries.length > 0 && !moved.has(queue)) waiting.add(queue);
  };

  const search = createSearch({
    metadata,
    clock,
    failures,
    pauseMs,
    closed: () => closed,
    onEnd() {
      const found = [...moved];
      moved.clear();
      for (const each of found) if (!each.busy) release(each);
      resolveIdle();
      schedule();
    },
  });

  /** Refreshes the metadata for this queue; the deadlines of its calls continue. */
  const refreshMetadata = (queue: PartitionQueue, problem: string): void => {
    failures.failed(keyOf(queue.topic, queue.partition), problem);
    waiting.delete(queue);
    moved.add(queue);
    search();
  };

  /** Evaluates the leader's response for the batch of one partition, which was stamped at `at`. */
  const settle = (flight: InFlightBatch, at: number, answer: ProduceAnswer | undefined): void => {
    const { queue, batch } = flight;
    const code = answer?.code;
    if (code === codes.none) {
      failures.succeeded(keyOf(queue.topic, queue.partition));
      failures.succeeded('');
      for (const entry of batch) stored(entry);
      return;
    }
    if (code === codes.messageTooLarge || code === codes.recordListTooLarge) return shrink(flight);
    const facts = code === undefined ? undefined : factsOf(code);
    const message = code === codes.invalidTimestamp ? clockProblem(at, answer?.detail ?? '') : facts?.message;
    if (facts && !facts.retriable) for (const { call } of batch) failed(call, refused(message ?? ''));
    putBack(queue, batch);
    refreshMetadata(queue, message ?? 'the response of the broker lacks a partition');
  };

  const send = async (node: number, flights: readonly InFlightBatch[]): Promise<void> => {
    const broker = await metadata.broker(node);
    const remaining = dropExpired(flights);
    if (remaining.length === 0) return;
    const at = clock.now();
    const answers = await produce(
      broker,
      remaining.map((flight) => encode(flight, at)),
    );
    const answerOf = new Map(answers.map((answer) => [keyOf(answer.topic, answer.partition), answer]));
    for (const flight of remaining) settle(flight, at, answerOf.get(keyOf(flight.queue.topic, flight.queue.partition)));
  };

  const dispatch = async (node: number, flights: readonly InFlightBatch[]): Promise<void> => {
    busyNodes.add(node);
    try {
      await send(node, flights);
    } catch (error) {
      for (const { queue, batch } of flights) {
        putBack(queue, batch);
        refreshMetadata(queue, problemOf(error).message);
      }
    }
    busyNodes.delete(node);
    for (const { queue } of flights) release(queue);
    resolveIdle();
    schedule();
  };

  /** The next batches, by the broker that leads their partitions. */
  const nextBatches = (): Map<number, InFlightBatch[]> => {
    const loads = new Map<number, InFlightBatch[]>();
    const bytes = new Map<number, number>();
    for (const queue of waiting) {
      const { topic, partition } = queue;
      const node = metadata.leader(topic, partition);
      if (node === undefined) refreshMetadata(queue, `partition ${partition} of ${topic} has no leader now`);
      if (node === undefined || busyNodes.has(node) || (bytes.get(node) ?? 0) > flightBytes) continue;
      waiting.delete(queue);
      const batch = takeBatch(queue);
      if (batch.length === 0) continue;
      queue.busy = true;
      loads.set(node, [...(loads.get(node) ?? []), { queue, batch }]);
      bytes.set(node, (bytes.get(node) ?? 0) + bytesOf(batch));
    }
    return loads;
  };

  const pump = (): void => {
    scheduled = false;
    if (closed) return;
    for (const [node, flights] of nextBatches()) void dispatch(node, flights);
    resolveIdle();
  };

  const queueOf = (topic: string, partition: number): PartitionQueue => {
    const key = keyOf(topic, partition);
    const known = queues.get(key) ?? { topic, partition, entries: [], busy: false, limit: batchLimit.bytes };
    queues.set(key, known);
    return known;
  };

  return {
    enqueue(entry) {
      const queue = queueOf(entry.topic, entry.partition);
      queue.entries.push(...fitting(entry, queue.limit));
      if (queue.busy || moved.has(queue)) return;
      waiting.add(queue);
      schedule();
    },
    failures: failures.byTopic,
    tidy() {
      for (const queue of queues.values()) {
        tidy(queue);
        if (queue.entries.length === 0) waiting.delete(queue);
      }
      resolveIdle();
    },
    idle: () => (isIdle() ? Promise.resolve() : new Promise((resolve) => idleWaiters.push(resolve))),
    close() {
      closed = true;
    },
  };
};
