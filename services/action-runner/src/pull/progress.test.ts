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
    {
      ranges: [
        { from: watermark, to: null, listing: true },
        { from: at, to: null, listing: true, saved_from: watermark },
        { from: at, to: null },
        { from: watermark, to: at, retry_at: at },
      ],
    },
    now,
  );
  t.is(unfinished.length, 4);
  t.regex(unfinished[0] ?? '', /a listing of what is new, which has reached 2026-01-01T00:00:00.000Z$/);
  t.is(
    unfinished[1],
    `a listing of what the site has saved since ${watermark}, which has reached rows recorded at ${at}`,
  );
  t.regex(unfinished[2] ?? '', /a back-fill of older rows from 2026-01-01T06:00:00.000Z to the end$/);
  t.regex(unfinished[3] ?? '', /on which the site fails: they are read again at 2026-01-01T06:00:00.000Z$/);
  t.deepEqual(pullProgress({ ranges: [{ window_index: 3 }] }, now).unfinished, []);
});
