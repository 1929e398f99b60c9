import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { jitterOf } from './jitter.ts';
import { world } from './test/world.ts';

testProp(
  'an integration has the same place at each instant, within the time over which they are spread',
  [fc.string(), fc.integer({ min: 0, max: 50 })],
  (t, id, seconds) => {
    const place = jitterOf(id, seconds * 1_000);
    t.is(place, jitterOf(id, seconds * 1_000));
    t.true(place >= 0 && (place < seconds * 1_000 || place === 0), String(place));
    t.is(place % 1_000, 0);
  },
);

const ids = Array.from({ length: 300 }, (_, n) => `park-${n}`);
const options = { jitterMs: 30_000 };

/** A tick of the leader, while half a minute passes second by second; how many commands came in each. */
const tickThrough = async (w: ReturnType<typeof world>, seconds: number) => {
  const counts: number[] = [];
  for (let second = 0; second < seconds; second += 1) {
    const before = w.published.length;
    await w.clock.advance(1_000);
    counts.push(w.published.length - before);
  }
  return counts;
};

test('a crowd of one instant is spread over its time, each integration once', async (t) => {
  const w = world({ pull: '0 * * * *' }, ids, options);
  await w.leader();
  const counts = await tickThrough(w, 31);
  t.is(w.published.length, 300);
  t.is(w.eventIds().size, 300);
  t.true(Math.max(...counts) <= 40, counts.join(' '));
  t.deepEqual([...new Set(w.published.map(({ command }) => command.scheduled_at))], ['2026-01-05T12:00:00.000Z']);
});

test('a process that ends in the middle does so at once, and the next leader publishes the rest under the same ids', async (t) => {
  const w = world({ pull: '0 * * * *' }, ids, options);
  const one = await w.leader('one');
  await tickThrough(w, 10);
  const stopping = w.clock.monotonic();
  await one.stop();
  t.true(w.clock.monotonic() - stopping <= 2_000);
  const first = w.published.length;
  t.true(first > 0 && first < 300);
  await w.leader('two');
  await tickThrough(w, 31);
  t.is(w.eventIds().size, 300);
  t.deepEqual(new Set(w.published.slice(first).map(({ key }) => key)).size, 300);
});
