import { firstUndone, type Lane, type LaneRecord } from './lane.ts';

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
