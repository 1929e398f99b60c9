import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { groupBySize } from './replay.ts';

const heads = (...sizes: number[]) => sizes.map((kept_bytes) => ({ kept_bytes }));
const sizes = (groups: readonly (readonly { kept_bytes: number }[])[]): number[][] =>
  groups.map((group) => group.map(({ kept_bytes: bytes }) => bytes));

test('groups are filled in order', (t) => {
  t.deepEqual(sizes(groupBySize(heads(4, 4, 4, 1), 8)), [
    [4, 4],
    [4, 1],
  ]);
});

test('a letter larger than a group goes alone', (t) => {
  t.deepEqual(sizes(groupBySize(heads(1, 20, 1), 8)), [[1], [20], [1]]);
});

test('no letters are no groups', (t) => {
  t.deepEqual(groupBySize([], 8), []);
});

testProp(
  'every letter is in one group, in order, and no group of several is too large',
  [fc.array(fc.nat(20)), fc.integer({ min: 1, max: 30 })],
  (t, all, bytes) => {
    const groups = sizes(groupBySize(heads(...all), bytes));
    t.deepEqual(groups.flat(), all);
    for (const group of groups) t.true(group.length === 1 || group.reduce((sum, n) => sum + n, 0) <= bytes);
  },
);
