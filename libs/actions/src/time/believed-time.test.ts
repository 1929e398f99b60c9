import { RelayError } from '@ranger-relay/errors';
import { manualClock, recordingLogger } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createBelievedTime, isOlder } from './believed-time.ts';

const setUp = (theirs: number | null) => {
  const clock = manualClock(1_000_000);
  const { log } = recordingLogger();
  const platform = { theirs, asked: 0 };
  const time = createBelievedTime({
    clock,
    log,
    platform: {
      time: () => platform.theirs,
      async askTime() {
        platform.asked += 1;
        throw new RelayError('platform_unavailable', { details: { reason: 'test' } });
      },
    },
  });
  return { clock, platform, time };
};

test('a clock that is ahead, ours or the platform’s, makes nothing old', (t) => {
  for (const [ours, theirs] of [
    [900_000, 0],
    [0, 900_000],
  ] as const) {
    const { clock, time } = setUp(1_000_000 + theirs);
    clock.jump(ours);
    t.is(time(), 1_000_000);
    t.false(isOlder(999_999, 1, time));
    t.true(isOlder(999_998, 1, time));
  }
});

test('while the platform’s time is not known nothing is old, and it is asked for once a minute', async (t) => {
  const { clock, platform, time } = setUp(null);
  for (let seconds = 0; seconds < 120; seconds += 1) {
    t.false(isOlder(0, 1, time));
    await clock.advance(1_000);
  }
  t.is(platform.asked, 2);
  platform.theirs = clock.now();
  t.true(isOlder(0, 1, time));
});
