import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { createRateLimitedLog } from './rate-limited-log.ts';
import { manualClock, recordingLogger } from './testing/index.ts';

test('a cause that lasts is one line when it begins and one a minute with their number; then its key is forgotten', async (t) => {
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const limited = createRateLimitedLog({ log, clock });
  for (let i = 0; i < 300; i += 1) limited.warn('park.refused', { try: i }, 'the platform refused it');
  limited.error('other', {}, 'another cause');
  t.is(lines.length, 2);
  await clock.advance(60_000);
  t.is(lines.length, 3);
  t.like(lines[2], { level: 'warn', try: 299, count: 299, msg: 'the platform refused it' });
  limited.warn('park.refused', { try: 300 }, 'the platform refused it');
  t.is(lines.length, 3);
  await clock.advance(60_000);
  t.like(lines[3], { try: 300 });
  t.false('count' in (lines[3] ?? {}));
  await clock.advance(60_000);
  t.is(clock.pending(), 0);
  limited.warn('park.refused', {}, 'the platform refused it');
  t.is(lines.length, 5);
});

test('what a call stands for is summed', async (t) => {
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const limited = createRateLimitedLog({ log, clock });
  for (let i = 0; i < 3; i += 1) limited.error('dropped', {}, 'entries were dropped', 500);
  await clock.advance(60_000);
  t.deepEqual(
    lines.map(({ count }) => count),
    [500, 1_000],
  );
});

testProp(
  'however many causes there are, the lines of a minute are bounded',
  [fc.array(fc.record({ key: fc.nat(40), waitMs: fc.constantFrom(0, 0, 0, 30_000, 60_000, 200_000) }))],
  async (t, calls) => {
    const clock = manualClock();
    const { log, lines } = recordingLogger();
    const limited = createRateLimitedLog({ log, clock }, { maxLines: 10 });
    for (const { key, waitMs } of calls) {
      await clock.advance(waitMs);
      limited.warn(String(key), { key }, 'it happened');
    }
    const spanMs = calls.reduce((sum, { waitMs }) => sum + waitMs, 0);
    t.true(lines.length <= 11 * (Math.floor(spanMs / 60_000) + 1));
  },
);
