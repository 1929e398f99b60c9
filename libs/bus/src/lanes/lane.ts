/** What the scheduler needs to know of a record. */
export interface LaneRecord {
  readonly offset: bigint;
  /** When it was published, ms since 1970. */
  readonly timestamp: number;
  readonly value: Uint8Array;
}

/** A fetched record with its place in the partition, counted from where the scheduler started. */
export interface Placed<R> {
  readonly record: R;
  readonly place: number;
}

/** Where a lane has to read again: nothing of it is in memory between here and the main position. */
export interface Gap {
  readonly offset: bigint;
  readonly place: number;
  /** No record of the lane in the gap was published before. */
  readonly timestamp: number;
}

/** The records of one name that wait, run and fail together; exists only while something of it is undone. */
export interface Lane<R extends LaneRecord> {
  readonly name: string;
  /** Fetched and not yet delivered, in order. */
  held: Placed<R>[];
  running: { readonly placed: readonly Placed<R>[]; readonly since: number } | null;
  gap: Gap | null;
  /** No delivery before this time; 0 when the lane does not wait. */
  until: number;
  /** Woken while it ran: the wait that its handler asks for is over at once. */
  woken: boolean;
  /** Deliveries so far of records that were delivered and are not done. */
  readonly delivered: Map<bigint, number>;
  /** Records up to here are delivered one by one, to find the one that the handler throws on. */
  singleThrough: bigint | null;
  /** Throws of the handler on the first record alone. */
  throws: number;
}

export const newLane = <R extends LaneRecord>(name: string): Lane<R> => ({
  name,
  held: [],
  running: null,
  gap: null,
  until: 0,
  woken: false,
  delivered: new Map(),
  singleThrough: null,
  throws: 0,
});

/** A busy lane lets the main position pass it after so long, ms: before that, reading on would be reading twice. */
export const stallMs = 500;

/** Has been busy for long. */
export const isStalled = <R extends LaneRecord>({ running }: Lane<R>, now: number): boolean =>
  running !== null && now - running.since >= stallMs;

export const bytesOf = <R extends LaneRecord>(placed: readonly Placed<R>[]): number =>
  placed.reduce((sum, { record }) => sum + record.value.byteLength, 0);

/** The first thing of a lane that is not done. */
export const firstUndone = <R extends LaneRecord>(lane: Lane<R>): Gap | null => {
  const first = lane.running?.placed[0] ?? lane.held[0];
  if (first) return { offset: first.record.offset, place: first.place, timestamp: first.record.timestamp };
  return lane.gap;
};

/** Cuts the next batch off the held records: at least one, within both bounds. */
export const takeBatch = <R extends LaneRecord>(lane: Lane<R>, most: number, mostBytes: number): Placed<R>[] => {
  const single = lane.singleThrough !== null && (lane.held[0]?.record.offset ?? 0n) <= lane.singleThrough;
  const limit = single ? 1 : most;
  let bytes = 0;
  let count = 0;
  for (const { record } of lane.held) {
    bytes += record.value.byteLength;
    if (count > 0 && (count >= limit || bytes > mostBytes)) break;
    count += 1;
  }
  return lane.held.splice(0, Math.min(count, limit));
};
