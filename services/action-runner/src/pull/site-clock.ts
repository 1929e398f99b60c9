import type { ClockNotice } from './notices.ts';

/** Facts about a watermark when the site answers; all times are ms since 1970. */
interface ClockReading {
  /** Everything up to then was pulled, in the site's time. */
  readonly watermark: number;
  /** Difference between the site's clock and the local clock when the watermark was set; undefined when it was not recorded. */
  readonly offsetMs: number | undefined;
  /** The site's current time. */
  readonly siteTime: number;
  /** The current local time. */
  readonly now: number;
  /** Largest jump of a clock that is considered, ms. */
  readonly maxJumpMs: number;
}

/** A valid watermark, and why it differs from the one before. */
interface Checked {
  readonly watermark: number;
  readonly notices: readonly ClockNotice[];
}

/** Clocks synchronized by a time service differ by less than this, ms. */
const toleranceMs = 60_000;

const beyondTolerance = (ms: number): number => (ms > toleranceMs ? ms : 0);

/**
 * Checks a watermark against the site's time: a watermark in the future would stop the pull until then, and a clock that was set back
 * assigns rows times that were already covered. The local clock is only compared with itself, never sent.
 */
export const checkWatermark = ({ watermark, offsetMs, siteTime, now, maxJumpMs }: ClockReading): Checked => {
  const aheadMs = beyondTolerance(watermark - siteTime);
  const jumpMs = offsetMs === undefined ? 0 : beyondTolerance(Math.min(maxJumpMs, offsetMs - (siteTime - now)));
  const notices: ClockNotice[] = [];
  if (aheadMs > 0) notices.push({ kind: 'watermark_ahead', byMs: aheadMs });
  if (jumpMs > 0) notices.push({ kind: 'clock_set_back', byMs: jumpMs });
  return { watermark: (aheadMs > 0 ? siteTime : watermark) - jumpMs, notices };
};
