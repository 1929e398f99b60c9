import { fc, testProp } from '@fast-check/ava';
import test, { type ExecutionContext } from 'ava';
import { runReplicas, type Act, type Step, type Told } from './test/replicas.ts';

const weights: readonly (readonly [Act, number])[] = [
  ['arrive', 4],
  ['source', 5],
  ['sourceSlowly', 3],
  ['parked', 8],
  ['parkedUncommitted', 6],
  ['break', 3],
  ['mend', 2],
  ['settle', 2],
  ['day', 3],
  ['halfMinute', 6],
  ['killSource', 1],
  ['killParked', 2],
  ['moveSource', 1],
  ['moveParked', 2],
];

const stepsOf = (of: typeof weights, maxLength: number) =>
  fc.array(
    fc.oneof(
      ...of.map(([act, weight]) => ({
        weight,
        arbitrary: fc.record({ act: fc.constant(act), size: fc.integer({ min: 1, max: 4 }) }),
      })),
    ),
    { maxLength },
  );

const inOrder = (t: ExecutionContext, { taken, arrived, left, flags }: Told): void => {
  t.deepEqual(
    [...new Set(taken)],
    Array.from({ length: arrived }, (_, n) => n),
  );
  t.is(left, 0);
  t.deepEqual(flags, []);
};

/** Events are parked, the day is over, and the rotation has its flag. */
const rotating: readonly Step[] = [
  { act: 'arrive', size: 8 },
  { act: 'break', size: 0 },
  { act: 'source', size: 8 },
  { act: 'day', size: 0 },
  { act: 'parked', size: 4 },
  { act: 'parked', size: 4 },
];

testProp(
  'replicas that die, hand over and rotate send every event once, first sendings in order, and leave no flag behind',
  [stepsOf(weights, 70)],
  async (t, steps) => {
    const told = await runReplicas([...rotating, ...steps]);
    inOrder(t, told);
    t.is(told.taken.length, told.arrived);
  },
  { numRuns: 250 },
);

testProp(
  'with the store emptied or away in between, no event is lost and first sendings keep their order',
  [stepsOf([...weights, ['storeEmptied', 2], ['storeAway', 2], ['storeBack', 4]], 70)],
  async (t, steps) => inOrder(t, await runReplicas([...rotating, ...steps])),
  { numRuns: 250 },
);

const step = (act: Act, size = 0): Step => ({ act, size });
const graceOver = step('halfMinute');

test('parked events of a day are appended again and go out in order, once, when the fault is mended', async (t) => {
  const told = await runReplicas([...rotating, graceOver, step('parked', 8), step('parked', 8)]);
  inOrder(t, told);
  t.is(told.moved, 8);
  t.is(told.taken.length, 8);
});

test('a process that dies before its copies are committed leaves the order as it was, the fault mended at once', async (t) => {
  for (const committed of [1, 4, 7]) {
    const lost = [step('parked', committed), step('parkedUncommitted', 8 - committed), step('parkedUncommitted', 4)];
    const after = [step('killParked'), step('mend'), step('parked', 4), step('parked', 4)];
    const told = await runReplicas([...rotating, graceOver, ...lost, ...after]);
    inOrder(t, told);
    t.is(told.taken.length, 8);
  }
});

test('a fault that is mended in the middle of a rotation waits for its end', async (t) => {
  const told = await runReplicas([...rotating, graceOver, step('parked', 3), step('mend'), step('killParked')]);
  inOrder(t, told);
  t.is(told.moved, 8);
});

test('nothing is appended between the copies, however slow the append that began before', async (t) => {
  const parked = [
    step('arrive', 5),
    step('break'),
    step('source', 5),
    step('day'),
    step('arrive', 1),
    step('parked', 1),
  ];
  const between = [step('sourceSlowly', 1), step('parked', 1), step('parked', 1), graceOver, step('parked', 1)];
  const told = await runReplicas([...parked, ...between]);
  inOrder(t, told);
  t.true(told.moved >= 2);
});

test('with the store away nothing is appended blindly between the copies', async (t) => {
  const blind = [step('storeAway'), step('arrive', 1), step('source', 1), step('parked', 3), step('storeBack')];
  const told = await runReplicas([...rotating, graceOver, step('parked', 3), ...blind, step('parked', 8)]);
  inOrder(t, told);
});

test('thousands of parked records are moved in batches and keep their order', async (t) => {
  const count = 3_000;
  const parked = [step('arrive', count), step('break'), ...Array.from({ length: 6 }, () => step('source', 500))];
  const moved = Array.from({ length: 7 }, () => step('parked', 500));
  const told = await runReplicas([
    ...parked,
    step('day'),
    step('parked', 500),
    step('parked', 500),
    graceOver,
    ...moved,
  ]);
  t.is(told.moved, count);
  t.is(told.taken.length, count);
  inOrder(t, told);
});
