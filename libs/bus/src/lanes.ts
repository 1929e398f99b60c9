import { acceptGap, acceptMain, nextWake, planFetch } from './lanes/accept.ts';
import { doneOf, encodeDone } from './lanes/done.ts';
import {
  apartName,
  commitOffset,
  type FetchRequest,
  firstUndone,
  type Lane,
  type LaneRecord,
  type LanesOptions,
  type LanesState,
  nameOf,
  newState,
  type Placed,
  refresh,
  setApart,
  takeBatch,
  isMaybeSent,
  maybeSentUntil,
} from './lanes/state.ts';

export { apartName, type LaneRecord } from './lanes/state.ts';
export { decodeDone, type Done, encodeDone, isDone, undoneFrom } from './lanes/done.ts';
export type { FetchRequest, LanesOptions } from './lanes/state.ts';

/** A batch for the handler. */
export interface Delivery<R> {
  readonly lane: string;
  readonly records: readonly R[];
  /** Number of earlier deliveries of each record. */
  readonly attempts: readonly number[];
  /** Whether each record may have taken effect before. */
  readonly maybeSent: readonly boolean[];
}

/**
 * End of a delivery: the first `finished` records are done or dead-lettered, but for those at `apart` and the later ones of their keys, which
 * wait in lanes of their own; the rest wait, in order.
 */
export interface Settlement {
  readonly finished: number;
  readonly retryAfterMs: number;
  readonly apart?: readonly number[];
  /** Indexes of the records that may have taken effect. */
  readonly maybeSent?: readonly number[];
  /** Indexes of finished records that are not committed before their `release`. */
  readonly withheld?: readonly number[];
}

/**
 * The scheduler of one partition: it decides what to fetch, to deliver and to commit, without I/O or a clock of its
 * own. Times are monotonic, ms. A lane never has two deliveries at once and never skips one of its records.
 */
export interface Lanes<R extends LaneRecord> {
  /** Batches to deliver now; each must be settled. */
  take(now: number): readonly Delivery<R>[];
  /** The next fetch, or null; the same until `accept` or `dropFetch`. */
  fetch(now: number): FetchRequest | null;
  /** Passes the result of the open fetch; `exhausted` when there is no record behind the last one. */
  accept(records: readonly R[], exhausted: boolean, now: number): void;
  /** The open fetch failed. */
  dropFetch(): void;
  /** Ends the delivery of a lane. */
  settle(lane: string, settlement: Settlement, now: number): void;
  /**
   * The handler threw on the lane's delivery. True: its single record is at fault; dead-letter it and settle. False:
   * the lane waits and continues record by record. `maybeSent`: the records may have taken effect.
   */
  threw(lane: string, now: number, maybeSent?: boolean): boolean;
  /** A withheld record may be committed. */
  release(offset: bigint): void;
  /** The offset to commit: every record before it is done, and none of them withheld. */
  commit(): bigint;
  /** What is done behind it, as a word for `LanesOptions.done`; empty where it is not known. */
  done(): string;
  /** The position before which undone records are maybe sent, at least that of `commit`. */
  maybeSentUntil(): bigint;
  /** When to call `take` and `fetch` again without another input; null when only inputs matter. */
  wakeAt(now: number): number | null;
  /** There may be new records at the main position. */
  notify(): void;
  /** Ends the wait of one lane, or of all. */
  wake(lane?: string): void;
  /** Publication time of the oldest fetched record that is not done. */
  oldest(): number | null;
  /** Names of the lanes that have undone records at or before the main position. */
  undone(): readonly string[];
  /** Whether a lane, or its key alone, has undone records at or before the main position. */
  isUndone(lane: string): boolean;
  /** Number of deliveries that are not settled. */
  running(): number;
}

const runningLane = <R extends LaneRecord>({ lanes }: LanesState<R>, name: string): Lane<R> => {
  const lane = lanes.get(name);
  if (!lane?.running) throw new Error(`no delivery of the lane "${name}" is open`);
  return lane;
};

const deliver = <R extends LaneRecord>(state: LanesState<R>, lane: Lane<R>, now: number): Delivery<R> => {
  const placed = takeBatch(lane, state.options.maxBatch, state.options.maxBatchBytes);
  lane.running = { placed, since: now };
  lane.until = 0;
  state.running += 1;
  const records = placed.map(({ record }) => record);
  return {
    lane: lane.name,
    records,
    attempts: records.map(({ offset }) => lane.delivered.get(offset) ?? 0),
    maybeSent: records.map(({ offset }) => isMaybeSent(state, offset)),
  };
};

const takeAll = <R extends LaneRecord>(state: LanesState<R>, now: number): readonly Delivery<R>[] => {
  const deliveries: Delivery<R>[] = [];
  for (const lane of state.ready) {
    if (state.running >= state.options.maxRunning) break;
    state.ready.delete(lane);
    deliveries.push(deliver(state, lane, now));
  }
  return deliveries;
};

/** Ends a delivery: its first records are done, the others are fetched again after the wait. */
const end = <R extends LaneRecord>(
  state: LanesState<R>,
  lane: Lane<R>,
  { finished, retryAfterMs, apart = [], maybeSent = [], withheld = [] }: Settlement,
  now: number,
): void => {
  const until = lane.woken ? 0 : now + retryAfterMs;
  const placed = lane.running?.placed ?? [];
  for (const { record } of placed.slice(0, finished)) {
    lane.delivered.delete(record.offset);
    state.maybeSent.delete(record.offset);
  }
  for (const index of withheld) state.withheld.add((placed[index] as Placed<R>).record.offset);
  for (const index of maybeSent) state.maybeSent.add((placed[index] as Placed<R>).record.offset);
  for (const index of apart) setApart(state, placed[index] as Placed<R>, until);
  const isOwn = ({ record }: Placed<R>): boolean => nameOf(state, record) === lane.name;
  if (apart.length > 0) lane.held = lane.held.filter(isOwn);
  const left = placed.slice(finished).filter(isOwn);
  for (const { record } of left) lane.delivered.set(record.offset, (lane.delivered.get(record.offset) ?? 0) + 1);
  const [first] = left;
  if (first) {
    lane.gap = { offset: first.record.offset, place: first.place, timestamp: first.record.timestamp };
    lane.held = [];
    lane.until = until;
  }
  lane.running = null;
  lane.woken = false;
  state.running -= 1;
  refresh(state, lane);
};

const threw = <R extends LaneRecord>(state: LanesState<R>, name: string, now: number, maybeSent: boolean): boolean => {
  const lane = runningLane(state, name);
  const placed = lane.running?.placed ?? [];
  if (placed.length === 1) {
    lane.throws += 1;
    if (lane.throws >= state.options.maxThrows) return true;
  }
  const through = placed.at(-1)?.record.offset ?? 0n;
  if (lane.singleThrough === null || through > lane.singleThrough) lane.singleThrough = through;
  const retryAfterMs = state.options.throwDelay(Math.max(0, lane.throws - 1));
  end(state, lane, { finished: 0, retryAfterMs, maybeSent: maybeSent ? [...placed.keys()] : [] }, now);
  return false;
};

const wake = <R extends LaneRecord>({ lanes }: LanesState<R>, name?: string): void => {
  for (const lane of name === undefined ? lanes.values() : [lanes.get(name)]) {
    if (!lane) continue;
    lane.until = 0;
    lane.woken = lane.running !== null;
  }
};

const oldestOf = <R extends LaneRecord>({ lanes }: LanesState<R>): number | null => {
  let oldest = Infinity;
  for (const lane of lanes.values()) oldest = Math.min(oldest, firstUndone(lane)?.timestamp ?? Infinity);
  return oldest === Infinity ? null : oldest;
};

const openFetch = <R extends LaneRecord>(state: LanesState<R>, now: number): FetchRequest | null => {
  if (state.open) return state.open;
  state.open = planFetch(state, now);
  if (state.open) {
    state.laggedLast = state.open.before !== null;
    state.notified = false;
  }
  return state.open;
};

const accept = <R extends LaneRecord>(
  state: LanesState<R>,
  records: readonly R[],
  exhausted: boolean,
  now: number,
): void => {
  const { open } = state;
  if (!open) throw new Error('no fetch is open');
  state.open = null;
  if (open.before === null) acceptMain(state, records, exhausted, now);
  else acceptGap(state, open.from, records, exhausted, now);
};

/** Creates the scheduler of one partition. */
export const createLanes = <R extends LaneRecord>(options: LanesOptions<R>): Lanes<R> => {
  const state = newState(options);
  return {
    take: (now) => takeAll(state, now),
    fetch: (now) => openFetch(state, now),
    accept: (records, exhausted, now) => accept(state, records, exhausted, now),
    dropFetch: () => {
      state.open = null;
    },
    settle: (name, settlement, now) => {
      const lane = runningLane(state, name);
      lane.throws = 0;
      end(state, lane, settlement, now);
    },
    threw: (name, now, maybeSent = false) => threw(state, name, now, maybeSent),
    release: (offset) => void state.withheld.delete(offset),
    commit: () => commitOffset(state),
    done: () => encodeDone(doneOf(state)),
    maybeSentUntil: () => maybeSentUntil(state),
    wakeAt: (now) => nextWake(state, now),
    notify: () => {
      state.fresh = true;
      state.notified = true;
    },
    wake: (name) => wake(state, name),
    oldest: () => oldestOf(state),
    undone: () => [...state.lanes.keys()],
    isUndone: (name) => state.lanes.has(name) || state.lanes.has(apartName(name)),
    running: () => state.running,
  };
};
