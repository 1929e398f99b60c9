import { instantIn } from '../observations/pull-fields.ts';
import type { PullEventsConfig } from './config.ts';

/** What a run asks for, ms since 1970. */
export interface Window {
  readonly lower: number;
  readonly upper: number | undefined;
}

/** From the configured start on the first or a forced run, else from the watermark; to the configured end (platform contract, both pulls). */
export const windowOf = (
  { start_datetime: start, end_datetime: end, force_run_since_start: forced }: PullEventsConfig,
  watermark: number | undefined,
): Window => ({
  lower: forced || watermark === undefined ? (instantIn(start) ?? 0) : watermark,
  upper: instantIn(end),
});

/** Nothing can lie in it. */
export const isEmpty = ({ lower, upper }: Window): boolean => upper !== undefined && upper <= lower;

/**
 * The watermark after a run that began at `started`: that instant, or the end of the window when it lies before, so that an end that is moved
 * later leaves no gap.
 */
export const watermarkAfter = ({ lower, upper = Infinity }: Window, started: number): number =>
  Math.max(Math.min(started, upper), Math.min(lower, started));
