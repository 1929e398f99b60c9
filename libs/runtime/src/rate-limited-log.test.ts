import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { createRateLimitedLog } from './logger.ts';
import { manualClock, recordingLogger } from './testing/index.ts';

test('the same cause is one line a minute, and the next line counts those that were left out', async (t) => {
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const limited = createRateLimitedLog({ log, clock });
  for (let i = 0; i < 300; i += 1) limited.warn('park.refused', { integration: 'park' }, 'the platform refused it');
  limited.error('other', {}, 'another cause');
  t.is(lines.length, 2);
  await clock.advance(60_000);
  limited.warn('park.refused', { integration: 'park' }, 'the platform refused it');
  t.like(lines[2], { level: 'warn', integration: 'park', suppressed: 299, msg: 'the platform refused it' });
  await clock.advance(60_000);
  limited.warn('park.refused', {}, 'the platform refused it');
  t.false('suppressed' in (lines[3] ?? {}));
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
