/** A record to publish. Records of one key go to one partition and keep their order. */
export interface OutgoingRecord {
  readonly key: string;
  readonly value: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A record as it lies on a topic. */
export interface BusRecord {
  readonly topic: string;
  readonly partition: number;
  /** Position in the partition, growing by at least one a record. */
  readonly offset: bigint;
  readonly key: string;
  readonly value: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  /** When it was published, ms since 1970; of a record that was moved (`movedHeaders`) when that was first. */
  readonly timestamp: number;
}

/** What becomes of one delivered record. */
export type Outcome =
  | { readonly kind: 'done' }
  /** This and all later records of the lane wait; they are delivered again, in order, after `afterMs`. */
  | { readonly kind: 'retry'; readonly afterMs: number }
  /** To `dead-letters`, then the lane moves on. */
  | { readonly kind: 'dead'; readonly letter: DeadLetterDraft };

/** What the handler knows about a record it gives up; the bus adds id, origin, headers, attempts and times. */
export interface DeadLetterDraft {
  /** A `kind` of the DeadLetter contract. */
  readonly kind: string;
  readonly integrationId: string | null;
  /** A slug, usually a registered error code. */
  readonly reason: string;
  readonly detail: string;
  /** What to keep; the record's own value when left out. */
  readonly body?: Uint8Array;
}

/** Records of one lane of one partition, in order, never overlapping another batch of the same lane. */
export interface Batch {
  readonly topic: string;
  readonly partition: number;
  readonly lane: string;
  readonly records: readonly BusRecord[];
  /** How often the first record was delivered before this time. */
  readonly attempt: number;
  /** Aborted when the partition is lost or the subscription closes: stop, the records come again. */
  readonly signal: AbortSignal;
}

/**
 * Answers one outcome per record of the batch, in its order. What it throws is a retry: with a bounded count, unless it is a RelayError that says
 * that something else than the record is to blame (`next` is `retry` or `alert`).
 */
export type Handler = (batch: Batch) => Promise<readonly Outcome[]>;

/** What to consume and how. */
export interface ConsumeOptions {
  readonly topic: string;
  readonly group: string;
  readonly handle: Handler;
  /**
   * Splits a partition into lanes that fail and wait alone: a `retry` holds its own lane only.
   * Left out, a partition is one lane. Offsets are committed only behind the slowest lane.
   */
  readonly lane?: (record: Pick<BusRecord, 'key' | 'headers' | 'value'>) => string;
  /**
   * Where a group without offsets, or with one behind the end, starts. `recent` (default): five days before now or the newest record, whichever
   * is earlier, for it must not handle again what it handled long ago; what it passes over is told and counted. `earliest`: for topics from
   * which what is done goes.
   */
  readonly from?: 'recent' | 'earliest' | 'latest';
  /** Most records in one batch; default 500. */
  readonly maxBatch?: number;
  /** Most bytes of values in one batch; default 4 MiB. */
  readonly maxBatchBytes?: number;
  /** How many records a partition may run ahead of its slowest lane; the adapter's bound when left out. */
  readonly maxAhead?: number;
  /** Records that the group has committed are deleted where the broker lets it: for topics that keep theirs without limit. */
  readonly deleteDone?: boolean;
  /** Lanes of one partition whose handlers run at the same time; the adapter's bound when left out. */
  readonly maxRunning?: number;
  /** How often a throwing handler is tried on one record before it is dead; default 5. */
  readonly maxThrows?: number;
  /** `kind` of the dead letters of records that the handler throws on; default `observation`. */
  readonly deadLetterKind?: string;
}

/** A running consumer. */
export interface Subscription {
  /** Partitions that this member has now. */
  assigned(): readonly number[];
  /** Joined and working: not while records of a partition cannot be fetched for 30 s. */
  ready(): boolean;
  /** Has not crashed. */
  alive(): boolean;
  /**
   * Publish time of the oldest record that was fetched and is not done yet, ms since 1970; null when none waits. While records cannot be
   * fetched, or it has not joined, no later than when that began.
   */
  oldestPending(): number | null;
  /** Records of its partitions that are not done, told from offsets: also those that were not, or cannot be, fetched. */
  lag(): Promise<number>;
  /** Ends waits of lanes whose name is given (of all, when left out): their records are delivered at once. */
  wake(lane?: string): void;
  /** Takes no more, waits for running handlers up to the deadline, commits what is done. */
  close(deadlineMs?: number): Promise<void>;
}

/** Which records to read without a group. */
export interface ReadOptions {
  readonly topic: string;
  /** First offset by partition; other partitions start at `from`. */
  readonly offsets?: ReadonlyMap<number, bigint>;
  /** Start of partitions without an offset; default `earliest`. `committed:<group>` starts behind that group. */
  readonly from?: 'earliest' | 'latest' | `committed:${string}`;
  /** Go on waiting for new records; without it the reading ends at the present end of each partition. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** What waits for a group under one key. */
export interface PendingKey {
  readonly key: string;
  readonly count: number;
  /** Publish times, ms since 1970. */
  readonly oldest: number;
  readonly newest: number;
}

/** The last records of the partitions of a topic. */
export interface LastRecords {
  /** How many partitions hold records. */
  readonly partitions: number;
  /**
   * When those that are later than the time in question were published, ms since 1970; null for one that cannot be read (without the right to
   * read a topic none can) where some record of its partition is later.
   */
  readonly newer: readonly (number | null)[];
}

/** The message bus: durable, ordered topics. Adapters must pass the contract suite. */
export interface Bus {
  /**
   * Resolves when all records are durable; records of one call and one key keep their order.
   * @throws RelayError `bus_unavailable`, `bus_topic_unknown`, `record_too_large`, or `deadline_exceeded` after
   *   `deadlineMs` (default 4000). A rejected publish may still be stored.
   */
  publish(topic: string, records: readonly OutgoingRecord[], options?: { deadlineMs?: number }): Promise<void>;
  /** Starts a consumer; members of one group share the partitions. */
  consume(options: ConsumeOptions): Promise<Subscription>;
  /** Reads records without a group; partitions in no order to each other, each in its own order. */
  read(options: ReadOptions): AsyncIterable<BusRecord>;
  /** What is stored and not yet committed by the group, by key. A look for people and start-up, not for hot paths. */
  pending(topic: string, group: string): Promise<readonly PendingKey[]>;
  /** Compares the last record of each partition of a topic with `time`, ms since 1970. @throws RelayError of the bus */
  lastRecords(topic: string, time: number): Promise<LastRecords>;
  /** Connected: a publish can be expected to succeed. */
  ready(): boolean;
  /** Ends every subscription and releases what the adapter holds. */
  close(): Promise<void>;
}

/**
 * Age of the oldest record that the subscriptions have fetched and that is not done, s; 0 when none waits.
 * @param now ms since 1970
 */
export const oldestAgeSeconds = (
  subscriptions: readonly Pick<Subscription, 'oldestPending'>[],
  now: number,
): number => {
  const oldest = Math.min(...subscriptions.map((each) => each.oldestPending() ?? Infinity));
  return Number.isFinite(oldest) ? Math.max(0, now - oldest) / 1_000 : 0;
};

/** Header of a record that was moved to another topic: when it was first published, ms since 1970. */
export const publishedAtHeader = 'published-at';

/** When a record was first published: its own time, or an earlier one that its header gives. */
export const publishedAt = (headers: BusRecord['headers'], timestamp: number): number => {
  const first = Number(headers[publishedAtHeader]);
  return first > 0 && first < timestamp ? first : timestamp;
};

/** Headers of a copy on another topic: what waits there is as old as it was before. */
export const movedHeaders = ({
  headers,
  timestamp,
}: Pick<BusRecord, 'headers' | 'timestamp'>): BusRecord['headers'] => ({
  ...headers,
  [publishedAtHeader]: String(timestamp),
});
