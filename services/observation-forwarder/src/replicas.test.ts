import { fc, testProp } from '@fast-check/ava';
import type { ExecutionContext } from 'ava';
import { runReplicas, type ReplicaAction, type Told } from './test/replicas.ts';

const weights: readonly (readonly [ReplicaAction, number])[] = [
  ['arrive', 4],
  ['source', 5],
  ['sourceSlowly', 3],
  ['parked', 8],
  ['parkedUncommitted', 6],
  ['break', 3],
  ['repair', 2],
  ['day', 1],
  ['kill', 2],
  ['move', 2],
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

const inOrder = (t: ExecutionContext, { taken, arrived, left, held }: Told): void => {
  t.deepEqual(
    [...new Set(taken)],
    Array.from({ length: arrived }, (_, n) => n),
  );
  t.is(left, 0);
  t.false(held);
};

testProp(
  'replicas that die and hand over send every event once, first sendings in order, and take nothing for parked at the end',
  [stepsOf(weights, 70)],
  async (t, steps) => {
    const told = await runReplicas(steps);
    inOrder(t, told);
    t.is(told.taken.length, told.arrived);
  },
  { numRuns: 250 },
);

testProp(
  'with the store emptied or away in between, no event is lost and first sendings keep their order',
  [stepsOf([...weights, ['storeEmptied', 2], ['storeAway', 2], ['storeBack', 4]], 70)],
  async (t, steps) => inOrder(t, await runReplicas(steps)),
  { numRuns: 250 },
);
