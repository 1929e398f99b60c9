import type { ClockNotice } from './notices.ts';

/** What is known of a watermark when the site answers; all times are ms since 1970. */
export interface ClockReading {
  /** Up to where everything was taken over, in the site's time. */
  readonly watermark: number;
  /** How far the site's clock stood from ours when the watermark was set; undefined when nobody noted it. */
  readonly offsetMs: number | undefined;
  /** The site's own time, now. */
  readonly siteTime: number;
  /** Ours, now. */
  readonly now: number;
  /** No clock is believed to have jumped further, ms. */
  readonly maxJumpMs: number;
}

/** A watermark that can be worked with, and why it is another one than before. */
export interface Checked {
  readonly watermark: number;
  readonly notices: readonly ClockNotice[];
}

/** Clocks that are kept by a time service differ by less, ms. */
const toleranceMs = 60_000;

const beyondTolerance = (ms: number): number => (ms > toleranceMs ? ms : 0);

/**
 * Checks a watermark against the site's time: one of the future would silence a pull until then, and a clock that was set back stamps rows
 * with times that were passed already. Our own clock is only compared with itself, never sent.
 */
export const checkWatermark = ({ watermark, offsetMs, siteTime, now, maxJumpMs }: ClockReading): Checked => {
  const aheadMs = beyondTolerance(watermark - siteTime);
  const jumpMs = offsetMs === undefined ? 0 : beyondTolerance(Math.min(maxJumpMs, offsetMs - (siteTime - now)));
  const notices: ClockNotice[] = [];
  if (aheadMs > 0) notices.push({ kind: 'watermark_ahead', byMs: aheadMs });
  if (jumpMs > 0) notices.push({ kind: 'clock_set_back', byMs: jumpMs });
  return { watermark: (aheadMs > 0 ? siteTime : watermark) - jumpMs, notices };
};
