import test from 'ava';
import { pullProgress } from './progress.ts';

const now = Date.UTC(2026, 0, 2);
const watermark = '2026-01-01T00:00:00.000Z';

test('a pull that has nothing left tells its watermark, one that never ran nothing', (t) => {
  t.deepEqual(pullProgress({ last_execution: watermark }, now), { watermark, ahead_seconds: 0, unfinished: [] });
  t.deepEqual(pullProgress({}, now), { watermark: null, ahead_seconds: 0, unfinished: [] });
});

test('a watermark of the future is told by the site’s clock', (t) => {
  const state = { last_execution: '2026-01-02T01:00:00.000Z' };
  t.is(pullProgress(state, now).ahead_seconds, 3_600);
  t.is(pullProgress({ ...state, clock_offset_ms: 3_600_000 }, now).ahead_seconds, 0);
});

test('what is unfinished is told with the place it has come to', (t) => {
  const at = '2026-01-01T06:00:00.000Z';
  const { unfinished } = pullProgress(
    { backfill: { part: watermark, at }, cursor: { created_after: watermark, at: watermark } },
    now,
  );
  t.is(unfinished.length, 2);
  t.regex(unfinished[0] ?? '', /back-fill .* 2026-01-01T06:00:00.000Z$/);
  t.regex(unfinished[1] ?? '', /a listing of arrivals since 2026-01-01T00:00:00.000Z, .* 2026-01-01T00:00:00.000Z$/);
  t.deepEqual(pullProgress({ backfill: { window_index: 3 } }, now).unfinished, []);
});
