import type { TopicSpec } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';

/** A record to publish. Records of one key go to one partition and keep their order. */
export interface OutgoingRecord {
  readonly key: string;
  readonly value: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A record of a topic. */
export interface BusRecord {
  readonly topic: string;
  readonly partition: number;
  /** Position in the partition; greater than that of the record before it. */
  readonly offset: bigint;
  readonly key: string;
  readonly value: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  /** Time of publication, ms since 1970. For a moved record (`movedHeaders`), the time of its first publication. */
  readonly timestamp: number;
}

/** The handler's decision about one delivered record. */
export type Outcome =
  /**
   * The lane continues at once. With `after`, the record is committed only once that has resolved, and delivered again if the process ends
   * before; it must not reject.
   */
  | { readonly kind: 'done'; readonly after?: Promise<void> }
  /**
   * The bus delivers this and all later records of the lane again, in order, after `afterMs`. With `apart`, it does so with this and all later
   * records of the key alone, which wait in a lane of their own, however far the others go on. For lanes that hold all records of a key.
   * `maybeSent`: this record may have taken effect, which its next delivery says, to whomever it goes. It counts behind another retry too.
   */
  | { readonly kind: 'retry'; readonly afterMs: number; readonly apart?: boolean; readonly maybeSent?: boolean }
  /** The bus writes the dead letter, then the lane continues. */
  | { readonly kind: 'dead'; readonly letter: DeadLetterDraft };

/** The handler's part of a dead letter; the bus adds id, origin, headers, attempts and times. */
export interface DeadLetterDraft {
  /** A `kind` of the DeadLetter contract. */
  readonly kind: string;
  readonly integrationId: string | null;
  /** A slug, usually a registered error code. */
  readonly reason: string;
  readonly detail: string;
  /** The bytes to keep; default: the value of the record. */
  readonly body?: Uint8Array;
}

/** Records of one lane of one partition, in order. Batches of a lane never run at the same time. */
export interface Batch {
  readonly topic: string;
  readonly partition: number;
  readonly lane: string;
  /** Whether the lane is that of a key that waits apart. */
  readonly apart: boolean;
  readonly records: readonly BusRecord[];
  /** Number of earlier deliveries of the first record. */
  readonly attempt: number;
  /**
   * For each record, whether it may have taken effect before: its last outcome was `maybeSent`, its handler threw after `announce`, or an
   * earlier owner of the partition had announced it and did not end gracefully.
   */
  readonly maybeSent: readonly boolean[];
  /**
   * Makes durable that the records of this batch may take effect from now on, so that they are maybe sent for whoever takes the partition over.
   * True proves that this member still owns the partition; false: another one has it, so nothing may be done.
   * @throws RelayError `bus_unavailable` when it is not known
   */
  announce(): Promise<boolean>;
  /** Aborted when the partition is revoked or the subscription closes. The handler should stop; the records are delivered again. */
  readonly signal: AbortSignal;
}

/**
 * Returns one outcome per record, in the order of the batch. After an exception, the bus delivers the records again: without limit for a
 * RelayError whose `next` is `retry` or `alert`, because another system is at fault, and up to `maxThrows` times otherwise.
 */
export type Handler = (batch: Batch) => Promise<readonly Outcome[]>;

/** Options of a consumer. */
export interface ConsumeOptions {
  readonly topic: string;
  readonly group: string;
  readonly handle: Handler;
  /**
   * Name of a record's lane. The lanes of a partition fail and wait independently: a `retry` delays its own lane only.
   * Default: one lane per partition. The committed offset never passes an undone record of any lane; with `key`, each key is a lane, and the commit
   * tells what is done behind a key that waits, so that it is not delivered again.
   */
  readonly lane?: 'key' | ((record: Pick<BusRecord, 'key' | 'headers' | 'value'>) => string);
  /**
   * Start of a group that has no offset, or one beyond the end of the partition. `recent` (default): five days before
   * now, or before the newest record if that is older. Earlier records may have been handled: the bus skips, logs and
   * counts them. `earliest`: for topics whose handled records are deleted.
   */
  readonly from?: 'recent' | 'earliest' | 'latest';
  /**
   * What counts as maybe sent at a take-over. `announced` (default): what the last owner had announced. `undone`: every undone record, without
   * announcements, so that a bus that takes no commits stops nothing; the member also keeps its partitions while no coordinator of the group
   * answers, so that another one may deliver the same records.
   */
  readonly maybeSentAtTakeOver?: 'announced' | 'undone';
  /** Maximum number of records in a batch; default 500. */
  readonly maxBatch?: number;
  /** Maximum bytes of values in a batch; default 4 MiB. */
  readonly maxBatchBytes?: number;
  /** Maximum number of records between the slowest lane of a partition and its newest fetched record, but for keys apart; default: the adapter's bound. */
  readonly maxAhead?: number;
  /** Deletes committed records if the broker permits it; for topics without a retention limit. */
  readonly deleteDone?: boolean;
  /** Maximum number of lanes of a partition whose handlers run at the same time; default: the adapter's bound. */
  readonly maxRunning?: number;
  /** Number of exceptions on one record after which the bus dead-letters it; default 5. */
  readonly maxThrows?: number;
  /** `kind` of the dead letter of such a record; default `observation`. */
  readonly deadLetterKind?: string;
}

/** The lanes of one partition that have undone records. */
export interface UndoneLanes {
  /** Whether a lane has undone records; null while it has none that were read, and not all are read that were there when the partition was assigned. */
  has(lane: string): boolean | null;
  /** Those whose records were read. */
  names(): readonly string[];
}

/** A running consumer. */
export interface Subscription {
  /** Partitions that are assigned to this member now. */
  assigned(): readonly number[];
  /** What is undone in a partition of this member; null while the member does not read it. */
  undone(partition: number): UndoneLanes | null;
  /** True once the member has joined; false when the group continues without it, or a partition could not be fetched for 30 s. */
  ready(): boolean;
  /** False after a crash. */
  alive(): boolean;
  /**
   * Publication time of the oldest fetched record that is not done, ms since 1970; null when there is none. While the
   * member cannot fetch, or has not joined, at most the time when that began.
   */
  oldestPending(): number | null;
  /** Number of records of the assigned partitions from the first undone one on; includes records that are not fetched. */
  lag(): Promise<number>;
  /** Ends the wait of one lane, or of all: the bus delivers their records at once. */
  wake(lane?: string): void;
  /** Stops fetching, waits for running handlers up to the deadline, and commits what is done. */
  close(deadlineMs?: number): Promise<void>;
}

/** Options of reading without a group. */
export interface ReadOptions {
  readonly topic: string;
  /** First offset by partition; other partitions start at `from`. */
  readonly offsets?: ReadonlyMap<number, bigint>;
  /** Start of partitions without an offset; default `earliest`. `undone:<group>`: what that group has not done, as far as it has committed it. */
  readonly from?: 'earliest' | 'latest' | `undone:${string}`;
  /** True: waits for new records. Default: ends at the end of each partition at the time of the call. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** The records of one key that a group has not committed. */
export interface PendingKey {
  readonly key: string;
  readonly count: number;
  /** Publication times, ms since 1970. */
  readonly oldest: number;
  readonly newest: number;
}

/** The last records of the partitions of a topic. */
export interface LastRecords {
  /** Number of partitions that contain records. */
  readonly partitions: number;
  /**
   * Publication times of the last records that are newer than the given time, ms since 1970. Null for a partition with
   * newer records whose last record cannot be read, for example without the permission to read the topic.
   */
  readonly newer: readonly (number | null)[];
}

/** A topic that this process cannot use now. */
export interface TopicProblem {
  readonly topic: string;
  /** The reason and the remedy, as a text for operators. */
  readonly problem: string;
  /** True when the topic does not exist, and this process has never seen it. */
  readonly isMissing?: boolean;
}

/** A topic that takes smaller records than its specification allows. Sizes in bytes. */
export interface LowLimit {
  readonly topic: string;
  readonly takes: number;
  readonly allowed: number;
}

/** The message bus: durable, ordered topics. Adapters must pass the contract suite. */
export interface Bus {
  /**
   * Resolves when all records are durable; records of one call and one key keep their order. A topic that does not exist yet is waited for.
   * @throws RelayError `bus_unavailable`, `bus_topic_unknown`, `record_too_large`, or `deadline_exceeded` after
   *   `deadlineMs` (default 4000). Records of a rejected call may still be stored; with `record_too_large`, of one key, exactly the first
   *   `storedOf(error)`.
   */
  publish(topic: string, records: readonly OutgoingRecord[], options?: { deadlineMs?: number }): Promise<void>;
  /** Starts a consumer; members of one group share the partitions. */
  consume(options: ConsumeOptions): Promise<Subscription>;
  /**
   * Starts a consumer of two topics with as many partitions: the member has the same partitions of both, from the same assignment to the same
   * revocation. Those of the second are read as soon as they can be; what is wrong with it does not delay the first.
   */
  consumeTogether(first: ConsumeOptions, second: ConsumeOptions): Promise<readonly [Subscription, Subscription]>;
  /** Reads records without a group. Each partition is in order; partitions are in no order to each other. */
  read(options: ReadOptions): AsyncIterable<BusRecord>;
  /** Records that the group has not done, as far as it has committed it, by key. For diagnosis and start-up, not for hot paths. */
  pending(topic: string, group: string): Promise<readonly PendingKey[]>;
  /** Compares the last record of each partition of a topic with `time`, ms since 1970. @throws RelayError of the bus */
  lastRecords(topic: string, time: number): Promise<LastRecords>;
  /** True when the bus is connected. Single topics may be unusable nevertheless: see `topicProblems`. */
  ready(): boolean;
  /** The topics that this process cannot use now. Asks nobody, so that a readiness check may call it. */
  topicProblems(): readonly TopicProblem[];
  /** The topics that this process writes and that take smaller records than allowed, as far as the brokers tell. Asks nobody. */
  lowLimits(): readonly LowLimit[];
  /** Closes every subscription and releases the resources of the adapter. */
  close(): Promise<void>;
}

/**
 * Age of the oldest fetched record of the subscriptions that is not done, s; 0 when there is none.
 * @param now ms since 1970
 */
export const oldestAgeSeconds = (
  subscriptions: readonly Pick<Subscription, 'oldestPending'>[],
  now: number,
): number => {
  const oldest = Math.min(...subscriptions.map((each) => each.oldestPending() ?? Infinity));
  return Number.isFinite(oldest) ? Math.max(0, now - oldest) / 1_000 : 0;
};

/**
 * Only the value counts: key and headers have room of their own in a batch, so that a copy on another topic of the same limit fits with the
 * headers of its move. @throws RelayError `record_too_large`
 */
export const checkSize = (
  { name: topic, maxRecordBytes: limit }: Pick<TopicSpec, 'name' | 'maxRecordBytes'>,
  { value }: Pick<OutgoingRecord, 'value'>,
): void => {
  const bytes = Buffer.byteLength(value);
  if (bytes > limit) throw new RelayError('record_too_large', { details: { bytes, limit, topic } });
};

/** How many records of a call about one key are stored although a later one is too large; other errors do not tell. */
export const storedOf = ({ details }: Pick<RelayError, 'details'>): number => Number(details['stored'] ?? 0);

/** Header of a record that was moved to another topic: the time of its first publication, ms since 1970. */
export const publishedAtHeader = 'published-at';

/** Time of a record's first publication: its own time, or an earlier one in its header. */
export const publishedAt = (headers: BusRecord['headers'], timestamp: number): number => {
  const first = Number(headers[publishedAtHeader]);
  return first > 0 && first < timestamp ? first : timestamp;
};

/** Headers of a copy on another topic: they keep the time of the first publication, so that the copy counts as old as the original. */
export const movedHeaders = ({
  headers,
  timestamp,
}: Pick<BusRecord, 'headers' | 'timestamp'>): BusRecord['headers'] => ({
  ...headers,
  [publishedAtHeader]: String(timestamp),
});
