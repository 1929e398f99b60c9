import { fc, testProp } from '@fast-check/ava';
import { maxThrows, World, type Fate } from './test/world.ts';

const fate: fc.Arbitrary<Fate> = fc.record({
  lane: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  retries: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }) }),
  throws: fc.oneof(
    { weight: 8, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: maxThrows + 2 }) },
  ),
  dead: fc.boolean(),
});
const fates = fc.array(fate, { maxLength: 60, size: 'max' });
const seed = fc.integer({ min: 0, max: 2 ** 31 });

const all = (world: World, times: (n: number) => boolean): boolean =>
  world.records.every(({ offset }) => times(world.finished.get(offset) ?? 0));

testProp(
  'without a crash every record is finished exactly once, in the order of its lane, and no commit passes an unfinished one',
  [fates, seed],
  (t, fates, seed) => {
    const world = new World({ fates, seed });
    world.run();
    t.deepEqual(world.problems, []);
    t.true(all(world, (n) => n === 1));
  },
  { numRuns: 300 },
);

testProp(
  'after a crash at any point everything behind the commit comes again, and nothing before it',
  [fates, seed],
  (t, fates, seed) => {
    const world = new World({ fates, seed, crashes: 0.02 });
    world.run();
    t.deepEqual(world.problems, []);
    t.true(all(world, (n) => n >= 1));
    t.true(all(world, (n) => n <= 1 + world.crashed));
  },
  { numRuns: 300 },
);

testProp(
  'a partition of one lane keeps the order of all its records',
  [fates, seed],
  (t, fates, seed) => {
    const world = new World({ fates, seed, lanes: { laneOf: null } });
    world.run();
    t.deepEqual(world.problems, []);
    t.true(all(world, (n) => n === 1));
  },
  { numRuns: 200 },
);

testProp(
  'the same holds when a lane may not run ahead of another at all',
  [fates, seed],
  (t, fates, seed) => {
    const world = new World({ fates, seed, lanes: { maxAhead: 1 } });
    world.run();
    t.deepEqual(world.problems, []);
    t.true(all(world, (n) => n === 1));
  },
  { numRuns: 100 },
);
