import type { CommonState } from './kept-state.ts';
import type { ClockNotice } from './notices.ts';

/** The site's time with the first answer of a listing; times ms since 1970. */
interface FirstAnswer<State> {
  readonly siteTime: number;
  /** Local time when it arrived. */
  readonly now: number;
  /** Largest jump of a clock that is considered, ms. */
  readonly maxJumpMs: number;
  /** False for a listing that does not begin at the watermark. */
  readonly isFromWatermark?: boolean;
  /** Begins the listing anew, at the watermark of the state. */
  readonly restart: (state: State) => State;
}

/** An answer of the site, judged. */
export interface Judged<State, Notice = ClockNotice> {
  readonly state: State;
  /** False when it was requested with invalid bounds, or may lack rows: nothing of it is used. */
  readonly take: boolean;
  readonly notices: readonly Notice[];
}

/** Clocks synchronized by a time service differ by less than this, ms. */
const toleranceMs = 60_000;

/** A difference of clocks, ms; 0 for a small one. */
export const beyondTolerance = (ms: number): number => (ms > toleranceMs ? ms : 0);

/**
 * Notes the site's time in the state of a listing that begins, and checks the watermark that it begins at: one in the future would stop the
 * pull until then, and a site whose clock was set back gives rows times that were already covered. Their difference cannot tell that from a local
 * clock that was set forward, which costs a longer listing. The local clock is only compared with itself, never sent.
 */
export const noteClock = <State extends Pick<CommonState, 'last_execution' | 'clock_offset_ms' | 'listing'>>(
  state: State,
  { siteTime, now, maxJumpMs, isFromWatermark = true, restart }: FirstAnswer<State>,
): Judged<State> => {
  const { last_execution: kept, clock_offset_ms: offsetMs } = state;
  const noted = { ...state, clock_offset_ms: siteTime - now };
  const begun = (from: State): State => ({ ...from, listing: { ...from.listing, began: siteTime } });
  if (kept === undefined || !isFromWatermark) return { state: begun(noted), take: true, notices: [] };
  const aheadMs = beyondTolerance(kept - siteTime);
  const jumpMs = offsetMs === undefined ? 0 : beyondTolerance(Math.min(maxJumpMs, offsetMs - (siteTime - now)));
  const notices: ClockNotice[] = [];
  if (aheadMs > 0) notices.push({ kind: 'watermark_ahead', byMs: aheadMs });
  if (jumpMs > 0) notices.push({ kind: 'clock_set_back', byMs: jumpMs });
  if (notices.length === 0) return { state: begun(noted), take: true, notices };
  const last_execution = (aheadMs > 0 ? siteTime : kept) - jumpMs;
  return { state: begun(restart({ ...noted, last_execution })), take: false, notices };
};
