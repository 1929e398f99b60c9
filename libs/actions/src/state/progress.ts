import type { StateValue } from './action-state.ts';

/**
 * Members of the state of an action as a whole (platform contract, both pulls): the watermark, an unfinished back-fill, an unfinished listing,
 * and how often what was delivered was asked for again.
 */
const [watermark, backfill, cursor, attempt] = ['last_execution', 'backfill', 'cursor', 'attempt'];

/** ms since 1970; undefined when there is none, or none that can be read. */
export const watermarkOf = (state: StateValue): number | undefined => {
  const ms = Date.parse(String(state[watermark]));
  return Number.isNaN(ms) ? undefined : ms;
};

/** The back-fill that a run has left unfinished. */
export const backfillOf = (state: StateValue): StateValue | undefined => {
  const value = state[backfill];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as StateValue) : undefined;
};

/**
 * The state set back to an instant (ms since 1970; undefined: the watermark stays), so that all since then is taken over again: as another
 * attempt, whose events are no repeats. A back-fill stays unless it is to go.
 */
export const rolledBack = (state: StateValue, to: number | undefined, withoutBackfill: boolean): StateValue => ({
  ...Object.fromEntries(
    Object.entries(state).filter(([name]) => name !== cursor && !(withoutBackfill && name === backfill)),
  ),
  ...(to === undefined ? {} : { [watermark]: new Date(to).toISOString() }),
  [attempt]: (Number(state[attempt]) || 1) + 1,
});
