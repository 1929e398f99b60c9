import type { StateValue } from './action-state.ts';

/**
 * Members of the state of an action as a whole (platform contract, both pulls): the watermark, an unfinished back-fill, an unfinished
 * listing, and the number of times that delivered data was requested again.
 */
const [watermark, backfill, cursor, attempt] = ['last_execution', 'backfill', 'cursor', 'attempt'];

/** ms since 1970; undefined when it is absent or unreadable. */
export const watermarkOf = (state: StateValue): number | undefined => {
  const ms = Date.parse(String(state[watermark]));
  return Number.isNaN(ms) ? undefined : ms;
};

/** The unfinished back-fill of an earlier run. */
export const backfillOf = (state: StateValue): StateValue | undefined => {
  const value = state[backfill];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as StateValue) : undefined;
};

/**
 * Resets the state to an instant (ms since 1970; undefined keeps the watermark), so that later data is delivered again as a new attempt,
 * whose events do not count as duplicates. Keeps the back-fill unless it is to be removed.
 */
export const rolledBack = (state: StateValue, to: number | undefined, withoutBackfill: boolean): StateValue => ({
  ...Object.fromEntries(
    Object.entries(state).filter(([name]) => name !== cursor && !(withoutBackfill && name === backfill)),
  ),
  ...(to === undefined ? {} : { [watermark]: new Date(to).toISOString() }),
  [attempt]: (Number(state[attempt]) || 1) + 1,
});
