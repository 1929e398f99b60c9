import type { Done } from './done.ts';

/** The members of a record that the scheduler uses. */
export interface LaneRecord {
  readonly offset: bigint;
  readonly key: string;
  /** Publication time, ms since 1970. */
  readonly timestamp: number;
  readonly value: Uint8Array;
}

/** A fetched record with its place in the partition, counted from the start of the scheduler. */
export interface Placed<R> {
  readonly record: R;
  readonly place: number;
}

/** Start of the records that a lane must fetch again: up to the main position, none of them is in memory. */
export interface Gap {
  readonly offset: bigint;
  readonly place: number;
  /** Lower bound of the publication times of the lane's records in the gap. */
  readonly timestamp: number;
}

/** Records of one name that wait, run and fail together; exists only while it has undone records. */
export interface Lane<R extends LaneRecord> {
  readonly name: string;
  /** Fetched records that are not delivered yet, in order. */
  held: Placed<R>[];
  running: { readonly placed: readonly Placed<R>[]; readonly since: number } | null;
  gap: Gap | null;
  /** No delivery before this time; 0 when the lane does not wait. */
  until: number;
  /** Woken while its handler ran: the next wait ends at once. */
  woken: boolean;
  /** Number of deliveries of each record that was delivered and is not done. */
  readonly delivered: Map<bigint, number>;
  /** Records up to this offset are delivered one by one, to find the one on which the handler throws. */
  singleThrough: bigint | null;
  /** Number of exceptions of the handler on the first record alone. */
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

/** The main position passes a lane that has been busy for this long, ms; earlier, its records would be fetched twice. */
export const stallMs = 500;

export const isStalled = <R extends LaneRecord>({ running }: Lane<R>, now: number): boolean =>
  running !== null && now - running.since >= stallMs;

export const bytesOf = <R extends LaneRecord>(placed: readonly Placed<R>[]): number =>
  placed.reduce((sum, { record }) => sum + record.value.byteLength, 0);

/** Position of the first undone record of a lane. */
export const firstUndone = <R extends LaneRecord>(lane: Lane<R>): Gap | null => {
  const first = lane.running?.placed[0] ?? lane.held[0];
  if (first) return { offset: first.record.offset, place: first.place, timestamp: first.record.timestamp };
  return lane.gap;
};

/** Removes the next batch from the fetched records: at least one record, within both bounds. */
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
  /** Undone records before it are maybe sent: an earlier owner announced them. Default: none. */
  readonly maybeSentBelow?: bigint;
  /** What is done of the records from `start` on. Default: nothing. */
  readonly done?: Done | null;
  /** Name of a record's lane; `key`: its key; null makes the partition one lane. */
  readonly laneOf: 'key' | ((record: R) => string) | null;
  readonly maxBatch: number;
  readonly maxBatchBytes: number;
  /** Maximum number of lanes whose handlers run at the same time. */
  readonly maxRunning: number;
  /** Maximum number of records between the slowest lane and the main position; keys that wait apart do not count. */
  readonly maxAhead: number;
  /** Number of exceptions on one record after which it is dead-lettered. */
  readonly maxThrows: number;
  /** Wait after exception number `n` (from 0), ms. */
  readonly throwDelay: (n: number) => number;
}

/** A fetch of records from an offset on, in order; one at a time. */
export interface FetchRequest {
  readonly from: bigint;
  /** Exclusive end of a fetch for lanes that lag behind the main position; null at the main position. */
  readonly before: bigint | null;
  readonly maxRecords: number;
  readonly maxBytes: number;
}

/** The state of one partition's scheduler. */
export interface LanesState<R extends LaneRecord> {
  readonly options: LanesOptions<R>;
  /** Lanes with undone records, by name. */
  readonly lanes: Map<string, Lane<R>>;
  /** Delivered and undone records that may have taken effect. */
  readonly maybeSent: Set<bigint>;
  /** Records that are done and not to be committed yet. */
  readonly withheld: Set<bigint>;
  /** Names of the lanes of keys that wait apart. A name stays until the scheduler ends, so that no record changes its lane twice. */
  readonly apart: Set<string>;
  /** Lanes that can be delivered now, longest ready first. */
  readonly ready: Set<Lane<R>>;
  /** The main position: every record before it was fetched once. */
  position: bigint;
  /** Number of records before the main position, counted from the start. */
  place: number;
  running: number;
  /** There may be records at the main position. */
  fresh: boolean;
  /** True when `notify` was called after the open fetch was planned. */
  notified: boolean;
  open: FetchRequest | null;
  /** The last fetch was for lanes that lag; the next one is at the main position, so that neither starves. */
  laggedLast: boolean;
}

export const newState = <R extends LaneRecord>(options: LanesOptions<R>): LanesState<R> => ({
  options,
  lanes: new Map(),
  maybeSent: new Set(),
  withheld: new Set(),
  apart: new Set(),
  ready: new Set(),
  position: options.start,
  place: 0,
  running: 0,
  fresh: true,
  notified: false,
  open: null,
  laggedLast: false,
});

/** Whether the lane waits for a retry. */
export const waits = <R extends LaneRecord>(lane: Lane<R>, now: number): boolean => lane.until > now;

/** Whether the lane can continue but must fetch its next records again. */
export const lags = <R extends LaneRecord>(lane: Lane<R>, now: number): boolean =>
  lane.gap !== null && !lane.running && lane.held.length === 0 && !waits(lane, now);

/** Moves a lane to the ready lanes, or removes it when it has no undone record. */
export const refresh = <R extends LaneRecord>({ lanes, ready }: LanesState<R>, lane: Lane<R>): void => {
  if (lane.running) return;
  if (lane.held.length > 0) ready.add(lane);
  else if (!lane.gap) lanes.delete(lane.name);
};

/** Name of the lane of a key that waits apart. */
export const apartName = (key: string): string => `apart:${key}`;

/** Name of a record's lane; an exception of `laneOf` must not stop the partition. */
export const nameOf = <R extends LaneRecord>({ options: { laneOf }, apart }: LanesState<R>, record: R): string => {
  if (apart.size > 0 && apart.has(apartName(record.key))) return apartName(record.key);
  if (!laneOf) return '';
  if (laneOf === 'key') return record.key;
  try {
    return laneOf(record);
  } catch {
    return '';
  }
};

/** Gives the key of a record a lane of its own, which fetches this record and the later ones of the key again after the wait. */
export const setApart = <R extends LaneRecord>(
  { lanes, apart }: LanesState<R>,
  { record: { key, offset, timestamp }, place }: Placed<R>,
  until: number,
): void => {
  const name = apartName(key);
  apart.add(name);
  lanes.set(name, { ...newLane<R>(name), gap: { offset, place, timestamp }, until });
};

/** Place of the first undone record of all lanes but those of keys that wait apart. */
export const slowestPlace = <R extends LaneRecord>({ lanes, apart, place }: LanesState<R>): number => {
  let least = place;
  for (const lane of lanes.values())
    if (!apart.has(lane.name)) least = Math.min(least, firstUndone(lane)?.place ?? place);
  return least;
};

/** The offset to commit: the first one that is undone or withheld. */
export const commitOffset = <R extends LaneRecord>({ lanes, withheld, position }: LanesState<R>): bigint => {
  let first = position;
  for (const offset of withheld) if (offset < first) first = offset;
  for (const lane of lanes.values()) {
    const undone = firstUndone(lane);
    if (undone && undone.offset < first) first = undone.offset;
  }
  return first;
};

/** Whether a record may have taken effect before. */
export const isMaybeSent = <R extends LaneRecord>({ maybeSent, options }: LanesState<R>, offset: bigint): boolean =>
  offset < (options.maybeSentBelow ?? 0n) || maybeSent.has(offset);

/** The position before which records that are not committed are maybe sent; the offset to commit when none is. */
export const maybeSentUntil = <R extends LaneRecord>(state: LanesState<R>): bigint => {
  const { maybeSentBelow = 0n } = state.options;
  let until = commitOffset(state);
  if (until < maybeSentBelow) until = maybeSentBelow;
  for (const offset of [...state.maybeSent, ...state.withheld]) if (offset >= until) until = offset + 1n;
  return until;
};
