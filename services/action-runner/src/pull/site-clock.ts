import { RelayError } from '@ranger-relay/errors';
import type { SiteQuery } from '@ranger-relay/site';
import type { ClockNotice } from './notices.ts';

/** Asks for no page twice: pages that lead back to each other have no end. */
export interface AskOnce {
  /** @throws RelayError `site_answer_unreadable` when the page was asked for before */
  note(query: SiteQuery): void;
  /** What is read again on purpose. */
  forget(): void;
}

/** Makes the memory of one run. @param path of the list at the site */
export const createAskOnce = (path: string): AskOnce => {
  const asked = new Set<string>();
  return {
    note(query) {
      const text = JSON.stringify(query);
      const details = { target: `GET ${path}`, problem: 'the pages of the list do not end' };
      if (asked.has(text)) throw new RelayError('site_answer_unreadable', { details });
      asked.add(text);
    },
    forget: () => asked.clear(),
  };
};

/** What is known of a watermark when the site answers; all times are ms since 1970. */
interface ClockReading {
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
interface Checked {
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
