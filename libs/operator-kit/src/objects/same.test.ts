import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { isSameJson } from './same.ts';
import { isContained } from './writer.ts';

const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, shuffled(member)]),
  );
};

testProp('the order of members does not matter, and what is the same is contained', [fc.jsonValue()], (t, value) => {
  t.true(isSameJson(value, shuffled(value)));
  t.true(isContained(value, shuffled(value)));
});

testProp(
  'two values are the same exactly when their JSON is, up to the order of members',
  [fc.jsonValue({ maxDepth: 2 }), fc.jsonValue({ maxDepth: 2 })],
  (t, a, b) => {
    t.is(isSameJson(a, b), JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)) || Object.is(a, b));
  },
);

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (Object.is(value, -0)) return 'minus zero';
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
};

test('members without a value are none', (t) => {
  t.true(isSameJson({ a: 1, b: undefined }, { a: 1 }));
  t.false(isSameJson({ a: 1, b: null }, { a: 1 }));
  t.true(isContained({ a: 1, b: undefined }, { a: 1 }));
});

test('what is there beside what is wanted does not matter, except in the length of lists', (t) => {
  t.true(isContained({ a: [{ b: 1 }] }, { a: [{ b: 1, c: 2 }], d: 3 }));
  t.false(isContained({ a: [1] }, { a: [1, 2] }));
  t.false(isContained({ a: { b: 1 } }, { a: 1 }));
  t.false(isContained({ a: [] }, { a: {} }));
  t.false(isContained({ a: 1 }, undefined));
});

test('values that are nested without end count as different', (t) => {
  let [a, b]: unknown[] = [1, 1];
  for (let n = 0; n < 10_000; n += 1) [a, b] = [[a], [b]];
  t.false(isSameJson(a, b));
});
