import { fc, testProp } from '@fast-check/ava';
import { anyCharacter } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { murmur2, partitionOf } from './partitioner.ts';

/** Hashes of the Java client's own tests. */
const known: readonly (readonly [string, number])[] = [
  ['21', -973_932_308],
  ['foobar', -790_332_482],
  ['a-little-bit-long-string', -985_981_536],
  ['a-little-bit-longer-string', -1_486_304_829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58_897_971],
  ['abc', 479_470_107],
];

for (const [text, hash] of known)
  test(`murmur2 of "${text}" is that of the Java client`, (t) => {
    t.is(murmur2(Buffer.from(text)), hash);
  });

test('keys go to the partitions that the Java client gives them', (t) => {
  t.is(partitionOf('foobar', 12), (-790_332_482 & 0x7fffffff) % 12);
  t.is(partitionOf('abc', 7), 479_470_107 % 7);
});

testProp(
  'every key has one partition within the bounds',
  [fc.string({ unit: anyCharacter }), fc.integer({ min: 1, max: 100 })],
  (t, key, partitions) => {
    const partition = partitionOf(key, partitions);
    t.true(Number.isInteger(partition) && partition >= 0 && partition < partitions);
    t.is(partitionOf(key, partitions), partition);
  },
);
