import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { createLanes, decodeDone, type Done, encodeDone } from '../lanes.ts';

const offset = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const name = fc.string({ unit: fc.constantFrom(...'aZ9_-b'), minLength: 8, maxLength: 8 });
const done = fc.record({
  position: offset,
  waiting: fc.array(fc.tuple(name, offset), { maxLength: 200 }).map((entries) => new Map(entries)),
});

testProp(
  'what is done arrives as it was written, in one word that fits into the metadata of an offset',
  [done],
  (t, its) => {
    const word = encodeDone(its);
    t.deepEqual(decodeDone(word), its);
    t.regex(word, /^\S+$/);
  },
);

test('a word that cannot be read says that nothing is done', (t) => {
  for (const word of ['', 'A', '1~', '1~short', `1~${'a'.repeat(8)}`, 'x y', '1~~2']) t.is(decodeDone(word), null);
});

const record = (n: number, key: string) => ({ offset: BigInt(n), key, timestamp: n, value: new Uint8Array(1) });

const options = {
  laneOf: 'key',
  maxBatch: 1,
  maxBatchBytes: 100,
  maxRunning: 10_000,
  maxAhead: Infinity,
  maxThrows: 1,
  throwDelay: () => 0,
} as const;

/** Delivers one record of each of `count` keys; the first `failing` of them wait, the others are done. */
const after = (count: number, failing: number): Done => {
  const lanes = createLanes({ ...options, start: 0n });
  const records = Array.from({ length: count }, (_, n) => record(n, `k${n}`));
  for (let n = 0; n < count; n += 1) {
    lanes.fetch(0);
    lanes.accept(records.slice(n, n + 1), n === count - 1, 0);
    for (const { lane } of lanes.take(0))
      lanes.settle(lane, n < failing ? { finished: 0, retryAfterMs: 1e6 } : { finished: 1, retryAfterMs: 0 }, 0);
  }
  return decodeDone(lanes.done()) as Done;
};

test('more waiting keys than a commit names make it tell less, never more', (t) => {
  t.deepEqual([after(500, 200).position, after(500, 200).waiting.size], [500n, 200]);
  t.deepEqual([after(500, 300).position, after(500, 300).waiting.size], [200n, 200]);
  t.true(encodeDone(after(500, 300)).length < 3_600);
});

test('a commit that is made before the new owner has read on forgets nothing', (t) => {
  const word = encodeDone(after(500, 3));
  const lanes = createLanes({ ...options, start: 0n, done: decodeDone(word) });
  t.is(lanes.done(), word);
});

test('where lanes are not keys, a commit tells nothing of what is done behind it', (t) => {
  for (const laneOf of [null, ({ key }: { key: string }) => key])
    t.is(createLanes({ ...options, laneOf, start: 0n }).done(), '');
});
