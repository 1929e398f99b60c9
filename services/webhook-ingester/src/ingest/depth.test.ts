import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { isDeeperThan } from './depth.ts';

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

testProp('the loop agrees with the structure of any JSON', [fc.jsonValue({ maxDepth: 8 })], (t, value) => {
  const json = Buffer.from(JSON.stringify(value));
  const depth = depthOf(value);
  t.false(isDeeperThan(depth, json));
  if (depth > 0) t.true(isDeeperThan(depth - 1, json));
});

testProp(
  'texts of brackets, quotes and backslashes have no depth',
  [fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', ']', 'a') })],
  (t, text) => {
    t.false(isDeeperThan(0, Buffer.from(JSON.stringify(text))));
  },
);

testProp('any bytes are looked at without throwing', [fc.uint8Array(), fc.nat(5)], (t, bytes, limit) => {
  t.is(typeof isDeeperThan(limit, bytes), 'boolean');
});

test('a million levels are found at the limit', (t) => {
  t.true(isDeeperThan(64, Buffer.alloc(1_000_000, '[')));
  t.true(isDeeperThan(64, Buffer.from('{"a":'.repeat(1_000))));
});
