import { fc, testProp } from '@fast-check/ava';
import test, { type ExecutionContext } from 'ava';
import { anySteps, lz4Frame, plainOf, snappyBlock, snappyStream } from '../test/compress.ts';
import { codecOf } from './read-batches.ts';

const gzip = codecOf(1);
const snappy = codecOf(2);
const lz4 = codecOf(3);
const zstd = codecOf(4);
const limit = 1_048_576;

/** The same as `deepEqual`, which looks at each byte as a property. */
const sameBytes = (t: ExecutionContext, actual: Buffer, expected: Buffer): void =>
  void t.is(Buffer.compare(actual, expected), 0);

testProp(
  'snappy: any literals and copies come out as they were, as a block and as a stream of blocks',
  [fc.array(anySteps, { minLength: 1, maxLength: 3 })],
  (t, texts) => {
    for (const steps of texts) sameBytes(t, snappy.decompress(snappyBlock(steps), limit), plainOf(steps));
    sameBytes(t, snappy.decompress(snappyStream(texts.map(snappyBlock)), limit), Buffer.concat(texts.map(plainOf)));
  },
  { numRuns: 60 },
);

testProp(
  'lz4: any literals and copies come out as they were, also those that reach into the block before, and frames behind each other',
  [anySteps, anySteps, fc.nat({ max: 40 }), fc.boolean()],
  (t, steps, others, cut, checksums) => {
    const blocks = [steps.slice(0, cut), steps.slice(cut)].filter(({ length }) => length > 0);
    const frames = [lz4Frame(blocks, checksums), lz4Frame([others], !checksums)];
    sameBytes(t, lz4.decompress(Buffer.concat(frames), limit), Buffer.concat([plainOf(steps), plainOf(others)]));
  },
  { numRuns: 60 },
);

testProp(
  'broken data are refused or come out within the bound, whatever the codec',
  [anySteps, fc.nat(), fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat({ max: 100_000 })],
  (t, steps, where, cut, byte, bound) => {
    for (const [codec, whole] of [
      [snappy, snappyBlock(steps)],
      [snappy, snappyStream([snappyBlock(steps)])],
      [lz4, lz4Frame([steps], false)],
      [gzip, Buffer.from([0x1f, 0x8b, 8, ...snappyBlock(steps)])],
      [zstd, Buffer.from([0x28, 0xb5, 0x2f, 0xfd, ...snappyBlock(steps)])],
    ] as const) {
      const data = Buffer.from(whole.subarray(0, whole.length - (cut % 3)));
      data[where % data.length] = byte;
      try {
        t.true(codec.decompress(data, bound).length <= bound);
      } catch (error) {
        t.true(error instanceof Error);
      }
    }
  },
  { numRuns: 200 },
);

test('what is cut off is refused, not given in part', (t) => {
  const steps = [{ literal: Buffer.from('the ranger is well') }, { back: 6, length: 40 }];
  for (const [codec, whole] of [
    [snappy, snappyBlock(steps)],
    [snappy, snappyStream([snappyBlock(steps)])],
    [lz4, lz4Frame([steps], true)],
  ] as const)
    for (let length = 1; length < whole.length; length += 1)
      t.throws(() => codec.decompress(whole.subarray(0, length), limit), undefined, `${codec.name} ${length}`);
});

test('a few bytes that grow beyond the bound are refused', (t) => {
  const bomb = [{ literal: Buffer.from([0]) }, ...Array.from({ length: 2_000 }, () => ({ back: 1, length: 64 }))];
  for (const [codec, data] of [
    [snappy, snappyBlock(bomb)],
    [lz4, lz4Frame([bomb], false)],
  ] as const)
    t.throws(() => codec.decompress(data, 100_000), { message: /more than 100000/ });
});

test('an unknown codec refuses and has a name', (t) => {
  t.is(codecOf(0x10 | 6).name, 'codec 6');
  t.throws(() => codecOf(6).decompress(Buffer.alloc(1), 1), { message: /does not support/ });
});
