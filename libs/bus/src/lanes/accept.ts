import { isDone } from './done.ts';
import {
  bytesOf,
  type FetchRequest,
  type Gap,
  isStalled,
  lags,
  type Lane,
  type LaneRecord,
  type LanesState,
  nameOf,
  newLane,
  type Placed,
  refresh,
  slowestPlace,
  stallMs,
  waits,
} from './state.ts';

const heldOf = <R extends LaneRecord>({ lanes }: LanesState<R>): { records: number; bytes: number } => {
  let records = 0;
  let bytes = 0;
  for (const { held } of lanes.values()) {
    records += held.length;
    bytes += bytesOf(held);
  }
  return { records, bytes };
};

/** Whether handlers could run, but all fetched records belong to lanes that have been busy for long. */
const stalled = <R extends LaneRecord>({ lanes, ready, running, options }: LanesState<R>, now: number): boolean => {
  if (ready.size > 0 || running >= options.maxRunning) return false;
  for (const lane of lanes.values()) if (lane.held.length > 0 && lane.running && !isStalled(lane, now)) return false;
  return true;
};

const mainIsUseful = <R extends LaneRecord>(state: LanesState<R>, now: number): boolean => {
  const { options, lanes } = state;
  if (!state.fresh || state.place - slowestPlace(state) >= options.maxAhead) return false;
  if (!options.laneOf && lanes.get('')?.gap) return false;
  const held = heldOf(state);
  if (held.records < options.maxBatch && held.bytes < options.maxBatchBytes) return true;
  return options.laneOf !== null && stalled(state, now);
};

const firstGap = <R extends LaneRecord>({ lanes }: LanesState<R>, now: number): Gap | null => {
  let first: Gap | null = null;
  for (const lane of lanes.values())
    if (lags(lane, now) && lane.gap && (!first || lane.gap.offset < first.offset)) first = lane.gap;
  return first;
};

/** The next fetch: for the lanes that lag, or at the main position; alternates when both are needed. */
export const planFetch = <R extends LaneRecord>(state: LanesState<R>, now: number): FetchRequest | null => {
  const { maxBatch, maxBatchBytes: maxBytes, maxAhead } = state.options;
  const gap = firstGap(state, now);
  const main = mainIsUseful(state, now);
  if (gap && !(main && state.laggedLast))
    return { from: gap.offset, before: state.position, maxRecords: maxBatch, maxBytes };
  if (!main) return null;
  const room = maxAhead - (state.place - slowestPlace(state));
  return { from: state.position, before: null, maxRecords: Math.min(maxBatch, room), maxBytes };
};

/** The next time at which waiting alone changes what can be delivered or fetched; null when there is none. */
export const nextWake = <R extends LaneRecord>({ lanes, options }: LanesState<R>, now: number): number | null => {
  let at = Infinity;
  for (const { until, running, held } of lanes.values()) {
    if (until > now) at = Math.min(at, until);
    const stalls = options.laneOf && running && held.length > 0 ? running.since + stallMs : 0;
    if (stalls > now) at = Math.min(at, stalls);
  }
  return at === Infinity ? null : at;
};

const hold = <R extends LaneRecord>(state: LanesState<R>, lane: Lane<R>, placed: Placed<R>): void => {
  lane.held.push(placed);
  refresh(state, lane);
};

const hasRoom = <R extends LaneRecord>({ options }: LanesState<R>, lane: Lane<R>): boolean =>
  lane.held.length < 2 * options.maxBatch;

/** Lanes that have been busy for long keep at most the bytes of one batch together; the rest is fetched again later. */
const roomOfStalled = <R extends LaneRecord>({ lanes, options }: LanesState<R>, now: number) => {
  let bytes = 0;
  for (const lane of lanes.values()) if (isStalled(lane, now)) bytes += bytesOf(lane.held);
  return (lane: Lane<R>, record: R): boolean => {
    if (!isStalled(lane, now)) return true;
    bytes += record.value.byteLength;
    return bytes <= options.maxBatchBytes;
  };
};

const gapAt = <R extends LaneRecord>(record: R, place: number) => ({
  offset: record.offset,
  place,
  timestamp: record.timestamp,
});

/** Distributes records of the main position: lanes that have room keep them, the others get a gap. */
export const acceptMain = <R extends LaneRecord>(
  state: LanesState<R>,
  records: readonly R[],
  exhausted: boolean,
  now: number,
): void => {
  const mayHold = roomOfStalled(state, now);
  for (const record of records) {
    if (record.offset < state.position) continue;
    state.position = record.offset + 1n;
    const place = state.place++;
    if (isDone(state.options.done ?? null, record)) continue;
    const name = nameOf(state, record);
    const lane = state.lanes.get(name) ?? newLane<R>(name);
    state.lanes.set(name, lane);
    if (!lane.gap && !waits(lane, now) && hasRoom(state, lane) && mayHold(lane, record))
      hold(state, lane, { record, place });
    else lane.gap ??= gapAt(record, place);
  }
  state.fresh = state.notified || !exhausted;
};

/** Lanes that a page from `from` on can serve; a lane whose gap starts earlier would lose the records between. */
const served = <R extends LaneRecord>(state: LanesState<R>, from: bigint, now: number): Map<string, Lane<R>> =>
  new Map([...state.lanes].filter(([, lane]) => lags(lane, now) && lane.gap !== null && lane.gap.offset >= from));

const placeAt = <R extends LaneRecord>({ lanes, place }: LanesState<R>, from: bigint): number => {
  for (const { gap } of lanes.values()) if (gap?.offset === from) return gap.place;
  return place;
};

/** Distributes records between a gap and the main position to the lanes that lag. */
export const acceptGap = <R extends LaneRecord>(
  state: LanesState<R>,
  from: bigint,
  records: readonly R[],
  exhausted: boolean,
  now: number,
): void => {
  const lanes = served(state, from, now);
  let place = placeAt(state, from);
  let last: R | undefined;
  for (const record of records) {
    if (record.offset >= state.position) break;
    last = record;
    const lane = lanes.get(nameOf(state, record));
    if (lane?.gap && record.offset >= lane.gap.offset) {
      if (hasRoom(state, lane)) hold(state, lane, { record, place });
      else {
        lane.gap = gapAt(record, place);
        lanes.delete(lane.name);
      }
    }
    place += 1;
  }
  const end = exhausted || !last ? state.position : last.offset + 1n;
  for (const lane of lanes.values()) advanceGap(state, lane, end, place, last);
};

/** Moves the gap of a lane behind the page; a gap that reaches the main position is closed. */
const advanceGap = <R extends LaneRecord>(
  state: LanesState<R>,
  lane: Lane<R>,
  end: bigint,
  place: number,
  last: R | undefined,
): void => {
  if (!lane.gap || lane.gap.offset > end) return;
  const timestamp = last?.timestamp ?? lane.gap.timestamp;
  lane.gap = end >= state.position ? null : { offset: end, place, timestamp };
  refresh(state, lane);
};
