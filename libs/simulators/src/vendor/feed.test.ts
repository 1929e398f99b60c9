import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { afterFailure, healthyFeed, isSuspended, type FeedState } from './feed.ts';

const hour = 3_600_000;

/** Fails from the start until suspended; each POST takes no time. */
const failForEver = () => {
  const waits: number[] = [];
  const pauses: number[] = [];
  let feed: FeedState = healthyFeed;
  let now = 0;
  while (!isSuspended(feed)) {
    const after = afterFailure(feed, now);
    ({ feed } = after);
    now += after.waitMs;
    (after.kind === 'pause' ? pauses : waits).push(after.waitMs);
  }
  return { waits, pauses, feed, now };
};

test('retries come after 2, 4, 8 … 128 s and then every 128 s', (t) => {
  const { waits } = failForEver();
  t.deepEqual(
    waits.slice(0, 10).map((ms) => ms / 1000),
    [2, 4, 8, 16, 32, 64, 128, 128, 128, 128],
  );
});

test('after 12 h of failure comes a pause of 12 h, and after five such cycles the suspension: five days in all', (t) => {
  const { pauses, now } = failForEver();
  t.deepEqual(pauses, [12 * hour, 12 * hour, 12 * hour, 12 * hour, 12 * hour]);
  t.true(Math.abs(now - 5 * 24 * hour) < hour);
});

testProp(
  'no wait is longer than 128 s but the pause, and failures never make a feed healthier',
  [fc.array(fc.nat(6 * hour), { minLength: 1, maxLength: 50 })],
  (t, gaps) => {
    let feed: FeedState = healthyFeed;
    let now = 0;
    for (const gap of gaps) {
      const after = afterFailure(feed, (now += gap));
      t.true(after.kind === 'pause' ? after.waitMs === 12 * hour : after.waitMs <= 128_000 && after.waitMs >= 2_000);
      t.true(after.feed.cycles >= feed.cycles);
      t.is(after.kind === 'pause', after.feed.cycles > feed.cycles);
      ({ feed } = after);
    }
  },
);
