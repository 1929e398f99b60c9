import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { manualClock } from '@ranger-relay/runtime/testing';
import { createDeadlines } from './deadlines.ts';

const start = () => {
  const clock = manualClock();
  const expired: string[] = [];
  return { clock, expired, deadlines: createDeadlines<string>(clock, (item) => expired.push(item)) };
};

test('an item expires at its time and not before', async (t) => {
  const { clock, expired, deadlines } = start();
  deadlines.add('a', 100);
  await clock.advance(99);
  t.deepEqual(expired, []);
  await clock.advance(1);
  t.deepEqual(expired, ['a']);
});

test('an earlier time given later is kept', async (t) => {
  const { clock, expired, deadlines } = start();
  deadlines.add('late', 1_000);
  deadlines.add('early', 10);
  await clock.advance(10);
  t.deepEqual(expired, ['early']);
  await clock.advance(990);
  t.deepEqual(expired, ['early', 'late']);
});

test('an answered item does not expire', async (t) => {
  const { clock, expired, deadlines } = start();
  deadlines.add('a', 10);
  deadlines.add('b', 10);
  deadlines.delete('a');
  await clock.advance(10);
  t.deepEqual(expired, ['b']);
});

test('clearing answers what waited and leaves no timer', (t) => {
  const { clock, deadlines } = start();
  deadlines.add('a', 10);
  deadlines.add('b', 20);
  t.is(clock.pending(), 1);
  t.deepEqual(deadlines.clear(), ['a', 'b']);
  t.is(clock.pending(), 0);
});

testProp(
  'each item expires at the first turn of its time',
  [fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 30 })],
  async (t, times) => {
    const clock = manualClock();
    const seen = new Map<number, number>();
    const deadlines = createDeadlines<number>(clock, (item) => seen.set(item, clock.monotonic()));
    for (const [index, ms] of times.entries()) deadlines.add(index, ms);
    await clock.advance(500);
    t.deepEqual(
      times.map((_, index) => seen.get(index)),
      times,
    );
  },
  { numRuns: 50 },
);
