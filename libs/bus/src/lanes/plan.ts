import { bytesOf, isStalled, stallMs, type Gap, type LaneRecord } from './lane.ts';
import { lags, slowestPlace, type FetchRequest, type LanesState } from './state.ts';

const heldOf = <R extends LaneRecord>({ lanes }: LanesState<R>): { records: number; bytes: number } => {
  let records = 0;
  let bytes = 0;
  for (const { held } of lanes.values()) {
    records += held.length;
    bytes += bytesOf(held);
  }
  return { records, bytes };
};

/** Handlers could run, but all that is held belongs to lanes that have been busy for long. */
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

/** What to fetch next: what lagging lanes miss, and what lies at the main position, in turn when both are due. */
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

/** When the passing of time alone changes what can be delivered or fetched; null when it does not. */
export const nextWake = <R extends LaneRecord>({ lanes, options }: LanesState<R>, now: number): number | null => {
  let at = Infinity;
  for (const { until, running, held } of lanes.values()) {
    if (until > now) at = Math.min(at, until);
    const stalls = options.laneOf && running && held.length > 0 ? running.since + stallMs : 0;
    if (stalls > now) at = Math.min(at, stalls);
  }
  return at === Infinity ? null : at;
};
