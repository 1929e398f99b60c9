import { fc, testProp } from '@fast-check/ava';
import { maxThrows, Harness, type Fate } from './test/harness.ts';

const fateOf = (apart: fc.Arbitrary<boolean>): fc.Arbitrary<Fate> =>
  fc.record({
    lane: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    key: fc.constantFrom('1', '2', '3'),
    apart,
    retries: fc.oneof(
      { weight: 5, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }) },
    ),
    throws: fc.oneof(
      { weight: 8, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: maxThrows + 2 }) },
    ),
    dead: fc.boolean(),
  });
const upTo60 = { maxLength: 60, size: 'max' } as const;
const fates = fc.array(fateOf(fc.boolean()), upTo60);
const seed = fc.integer({ min: 0, max: 2 ** 31 });

const all = (harness: Harness, times: (n: number) => boolean): boolean =>
  harness.records.every(({ offset }) => times(harness.finished.get(offset) ?? 0));

testProp(
  'without a crash every record is finished exactly once, in the order of its lane, or of its key when that waits apart, and no commit passes an unfinished one',
  [fates, seed],
  (t, fates, seed) => {
    const harness = new Harness({ fates, seed });
    harness.run();
    t.deepEqual(harness.problems, []);
    t.true(all(harness, (n) => n === 1));
  },
  { numRuns: 300 },
);

testProp(
  'after a crash at any point everything behind the commit comes again, and nothing before it',
  [fates, seed],
  (t, fates, seed) => {
    const harness = new Harness({ fates, seed, crashes: 0.02 });
    harness.run();
    t.deepEqual(harness.problems, []);
    t.true(all(harness, (n) => n >= 1));
    t.true(all(harness, (n) => n <= 1 + harness.crashed));
  },
  { numRuns: 300 },
);

testProp(
  'a partition of one lane keeps the order of all its records',
  [fates, seed],
  (t, fates, seed) => {
    const harness = new Harness({ fates, seed, lanes: { laneOf: null } });
    harness.run();
    t.deepEqual(harness.problems, []);
    t.true(all(harness, (n) => n === 1));
  },
  { numRuns: 200 },
);

testProp(
  'the same holds when a lane may not run ahead of another at all',
  [fates, seed],
  (t, fates, seed) => {
    const harness = new Harness({ fates, seed, lanes: { maxAhead: 1 } });
    harness.run();
    t.deepEqual(harness.problems, []);
    t.true(all(harness, (n) => n === 1));
  },
  { numRuns: 100 },
);

testProp(
  'where each key is a lane, every record is finished exactly once, at whatever points the owner crashes',
  [fc.array(fateOf(fc.constant(false)), upTo60), seed],
  (t, fates, seed) => {
    const harness = new Harness({ fates, seed, crashes: 0.05, lanes: { laneOf: 'key', maxAhead: Infinity } });
    harness.run();
    t.deepEqual(harness.problems, []);
    t.true(all(harness, (n) => n === 1));
  },
  { numRuns: 500 },
);
