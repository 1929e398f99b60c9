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

/** Bounds and rules of one partition's scheduler. */
export interface LanesOptions<R> {
  /** First offset to fetch: the committed one. */
  readonly start: bigint;
  /** Name of a record's lane; null makes the partition one lane. */
  readonly laneOf: ((record: R) => string) | null;
  readonly maxBatch: number;
  readonly maxBatchBytes: number;
  /** Lanes whose handlers run at the same time. */
  readonly maxRunning: number;
  /** How many records the main position may run ahead of the slowest lane. */
  readonly maxAhead: number;
  /** A throwing handler is tried so often on one record. */
  readonly maxThrows: number;
  /** Wait after throw number `n` (from 0), ms. */
  readonly throwDelay: (n: number) => number;
}

/** Records to fetch, in order, from an offset on; one request at a time. */
export interface FetchRequest {
  readonly from: bigint;
  /** End (exclusive) of a fetch for lanes that lag behind the main position; null for the main position. */
  readonly before: bigint | null;
  readonly maxRecords: number;
  readonly maxBytes: number;
}

/** All that one partition's scheduler remembers. */
export interface LanesState<R extends LaneRecord> {
  readonly options: LanesOptions<R>;
  /** Lanes with something undone, by name. */
  readonly lanes: Map<string, Lane<R>>;
  /** Lanes that could be delivered now, longest ready first. */
  readonly ready: Set<Lane<R>>;
  /** The main position: everything before it was fetched once. */
  position: bigint;
  /** Records before the main position, counted from the start. */
  place: number;
  running: number;
  /** There may be records at the main position. */
  fresh: boolean;
  /** Told of new records since the open request was made. */
  notified: boolean;
  open: FetchRequest | null;
  /** The last request was for lanes that lag behind: the main position is next, so that neither starves. */
  laggedLast: boolean;
}

export const newState = <R extends LaneRecord>(options: LanesOptions<R>): LanesState<R> => ({
  options,
  lanes: new Map(),
  ready: new Set(),
  position: options.start,
  place: 0,
  running: 0,
  fresh: true,
  notified: false,
  open: null,
  laggedLast: false,
});

/** Held up by a retry. */
export const waits = <R extends LaneRecord>(lane: Lane<R>, now: number): boolean => lane.until > now;

/** Free to go on, but what comes next of it has to be read again. */
export const lags = <R extends LaneRecord>(lane: Lane<R>, now: number): boolean =>
  lane.gap !== null && !lane.running && lane.held.length === 0 && !waits(lane, now);

/** Puts a lane where its state says: among the ready ones, or out when nothing of it is left. */
export const refresh = <R extends LaneRecord>({ lanes, ready }: LanesState<R>, lane: Lane<R>): void => {
  if (lane.running) return;
  if (lane.held.length > 0) ready.add(lane);
  else if (!lane.gap) lanes.delete(lane.name);
};

/** Name of a record's lane; a naming function that throws must not stop the partition. */
export const nameOf = <R extends LaneRecord>({ options: { laneOf } }: LanesState<R>, record: R): string => {
  if (!laneOf) return '';
  try {
    return laneOf(record);
  } catch {
    return '';
  }
};

/** Place of the first record that is not done. */
export const slowestPlace = <R extends LaneRecord>({ lanes, place }: LanesState<R>): number => {
  let least = place;
  for (const lane of lanes.values()) least = Math.min(least, firstUndone(lane)?.place ?? place);
  return least;
};

/** First offset that is not done: what may be committed. */
export const commitOffset = <R extends LaneRecord>({ lanes, position }: LanesState<R>): bigint => {
  let first = position;
  for (const lane of lanes.values()) {
    const undone = firstUndone(lane);
    if (undone && undone.offset < first) first = undone.offset;
  }
  return first;
};
