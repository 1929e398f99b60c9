import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { createDueTimes } from './keys.ts';

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const op = fc.oneof(
  { weight: 5, arbitrary: fc.record({ op: fc.constant('add' as const), key, at: fc.integer({ min: 0, max: 50 }) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('remove' as const), key, at: fc.constant(0) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('take' as const), key, at: fc.integer({ min: 0, max: 50 }) }) },
);

testProp(
  'it does what a plain table of earliest times would do',
  [fc.array(op, { minLength: 1, maxLength: 300, size: 'max' })],
  (t, ops) => {
    const times = createDueTimes();
    const model = new Map<string, number>();
    for (const { op, key, at } of ops) {
      if (op === 'add') {
        times.add(key, at);
        model.set(key, Math.min(at, model.get(key) ?? Infinity));
      }
      if (op === 'remove') {
        times.remove(key);
        model.delete(key);
      }
      if (op === 'take') {
        const due = [...model].filter(([, time]) => time <= at);
        const taken = times.take(at);
        t.deepEqual(taken.toSorted(), due.map(([name]) => name).toSorted());
        const order = taken.map((name) => model.get(name) ?? 0);
        t.deepEqual(
          order,
          order.toSorted((a, b) => a - b),
        );
        for (const [name] of due) model.delete(name);
      }
      t.is(times.size, model.size);
      t.is(times.next(), model.size === 0 ? undefined : Math.min(...model.values()));
    }
  },
  { numRuns: 300 },
);

test('a time that is no number is refused', (t) => {
  t.throws(() => createDueTimes().add('a', Number.NaN), { instanceOf: RangeError });
});
