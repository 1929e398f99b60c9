import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { createLatest } from './follow.ts';

test('items of one time keep the order in which they came', (t) => {
  const latest = createLatest<{ at: number; name: string }>(10, ({ at }) => at);
  for (const name of ['a', 'b', 'c']) latest.add({ at: 1, name });
  t.deepEqual(
    latest.sorted().map(({ name }) => name),
    ['a', 'b', 'c'],
  );
});

test('memory is bounded however many come', (t) => {
  const latest = createLatest<number>(3, (n) => n);
  for (let n = 0; n < 50_000; n += 1) latest.add(n);
  t.deepEqual(latest.sorted(), [49_997, 49_998, 49_999]);
  t.is(latest.dropped(), 49_997);
});

testProp(
  'it holds what sorting everything and taking the end would give',
  [fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 3_000 }), fc.integer({ min: 1, max: 20 })],
  (t, items, limit) => {
    const latest = createLatest<number>(limit, (n) => n);
    for (const item of items) latest.add(item);
    t.deepEqual(latest.sorted(), items.toSorted((a, b) => a - b).slice(-limit));
    t.is(latest.dropped(), Math.max(0, items.length - limit));
  },
);
