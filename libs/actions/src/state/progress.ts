import type { StateValue } from './action-state.ts';

/**
 * Members of the state of an action as a whole (platform contract, both pulls): the watermark, what is left to read, what the listing since
 * the watermark has shown, and the number of times that delivered data was requested again.
 */
const [watermark, ranges, listing, attempt] = ['last_execution', 'ranges', 'listing', 'attempt'];

/** ms since 1970; undefined when it is absent or unreadable. */
export const watermarkOf = (state: StateValue): number | undefined => {
  const ms = Date.parse(String(state[watermark]));
  return Number.isNaN(ms) ? undefined : ms;
};

const rangesOf = (state: StateValue): readonly StateValue[] =>
  Array.isArray(state[ranges]) ? (state[ranges] as StateValue[]) : [];

/** A row on which the site fails is no part of a back-fill: it is read again by itself. */
const isWaiting = (range: StateValue): boolean => range['retry_at'] !== undefined;

/** What is left to read besides the listing since the watermark. */
export const backfillOf = (state: StateValue): readonly StateValue[] =>
  rangesOf(state).filter((range) => range['listing'] !== true && !isWaiting(range));

/**
 * Resets the state to an instant (ms since 1970; undefined keeps the watermark), so that later data is delivered again as a new attempt,
 * whose events do not count as duplicates. Keeps the back-fill unless it is to be removed.
 */
export const rolledBack = (state: StateValue, to: number | undefined, withoutBackfill: boolean): StateValue => {
  const left = rangesOf(state).filter((range) => isWaiting(range) || (!withoutBackfill && range['listing'] !== true));
  return {
    ...Object.fromEntries(Object.entries(state).filter(([name]) => name !== listing && name !== ranges)),
    ...(left.length > 0 ? { [ranges]: left } : {}),
    ...(to === undefined ? {} : { [watermark]: new Date(to).toISOString() }),
    [attempt]: (Number(state[attempt]) || 1) + 1,
  };
};
