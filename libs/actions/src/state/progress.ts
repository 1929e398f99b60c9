import type { StateValue } from './action-state.ts';

/** Members of the state of an action as a whole: `{last_execution, backfill}` (platform contract, both pulls). */
const [watermark, cursor] = ['last_execution', 'backfill'];

/** ms since 1970; undefined when there is none, or none that can be read. */
export const watermarkOf = (state: StateValue): number | undefined => {
  const ms = Date.parse(String(state[watermark]));
  return Number.isNaN(ms) ? undefined : ms;
};

/** Where a run has stopped. */
export const cursorOf = (state: StateValue): StateValue | undefined => {
  const value = state[cursor];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as StateValue) : undefined;
};

/** The state of a run that stops here. */
export const withCursor = (state: StateValue, value: StateValue): StateValue => ({ ...state, [cursor]: value });

/** The state when all is taken over up to an instant: the watermark never goes backwards, the cursor is gone. */
export const afterwards = (state: StateValue, to: number): StateValue => {
  const rest = Object.fromEntries(Object.entries(state).filter(([name]) => name !== cursor));
  return { ...rest, [watermark]: new Date(Math.max(to, watermarkOf(state) ?? to)).toISOString() };
};

/** The state set back to an instant (ms since 1970), so that all since then is taken over again; the cursor stays unless it is to go. */
export const rolledBack = (state: StateValue, to: number, withoutCursor: boolean): StateValue => ({
  ...Object.fromEntries(Object.entries(state).filter(([name]) => !withoutCursor || name !== cursor)),
  [watermark]: new Date(to).toISOString(),
});
