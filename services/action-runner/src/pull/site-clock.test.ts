import test from 'ava';
import type { CommonState } from './kept-state.ts';
import { noteClock } from './site-clock.ts';

const hourMs = 3_600_000;
const then = Date.UTC(2026, 0, 2);
const kept: CommonState = { last_execution: then - 5_000, clock_offset_ms: 0, listing: {} };
/** What is told, by kind, of a listing whose first answer shows this difference from the clocks of the one before. */
const toldOf = (siteMs: number, localMs: number): string[] => {
  const times = { siteTime: then + siteMs, now: then + localMs };
  return noteClock(kept, { ...times, maxJumpMs: 24 * hourMs, restart: (state) => state }).notices.map(
    ({ kind }) => kind,
  );
};

test('a site whose clock is set back cannot be told from a local clock that is set forward; the other ways tell nothing', (t) => {
  t.deepEqual(toldOf(0, hourMs), ['clock_set_back']);
  t.deepEqual(toldOf(-hourMs, 0), ['watermark_ahead', 'clock_set_back']);
  t.deepEqual(toldOf(0, -hourMs), []);
  t.deepEqual(toldOf(hourMs, 0), []);
  t.deepEqual(toldOf(hourMs, hourMs), []);
});
