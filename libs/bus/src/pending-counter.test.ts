import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import type { PendingKey } from './port.ts';
import { countPage, createPendingCounter, type CountRange } from './pending-counter.ts';

/** One partition with holes in its offsets, and how often its records were read. */
const harness = () => {
  const records: { readonly offset: bigint; readonly key: string; readonly timestamp: number }[] = [];
  let end = 0n;
  let reads = 0;
  const range: CountRange = async function* (_, from, to) {
    const wanted = records.filter(({ offset }) => offset >= from && offset < to);
    reads += wanted.length;
    for (let at = 0; at < wanted.length; at += 300) {
      const page = wanted.slice(at, at + 300);
      yield countPage(page, (page.at(-1)?.offset ?? 0n) + 1n);
    }
  };
  const append = (keys: readonly string[], hole: number): void => {
    end += BigInt(hole);
    for (const key of keys) {
      const offset = end++;
      records.push({ offset, key, timestamp: Number(offset) });
    }
  };
  const naive = (committed: bigint): PendingKey[] =>
    [
      ...Map.groupBy(
        records.filter(({ offset }) => offset >= committed),
        ({ key }) => key,
      ),
    ].map(([key, its]) => ({
      key,
      count: its.length,
      oldest: its[0]?.timestamp ?? 0,
      newest: its.at(-1)?.timestamp ?? 0,
    }));
  return { records, range, append, naive, end: () => end, reads: () => reads };
};

const sorted = (keys: readonly PendingKey[]): PendingKey[] => keys.toSorted((a, b) => (a.key < b.key ? -1 : 1));

const move = fc.record({
  keys: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 700 }),
  hole: fc.nat({ max: 3 }),
  commits: fc.double({ min: 0, max: 1, noNaN: true }),
  asks: fc.integer({ min: 1, max: 3 }),
});

testProp(
  'it counts what a plain count finds, however offsets and ends move and however often it is asked, even at once',
  [fc.array(move, { minLength: 1, maxLength: 12 })],
  async (t, moves) => {
    const { range, append, naive, end } = harness();
    const counter = createPendingCounter(range);
    let committed = 0n;
    for (const { keys, hole, commits, asks } of moves) {
      append(keys, hole);
      committed += BigInt(Math.floor(Number(end() - committed) * commits));
      const reaches = new Map([[0, { committed, end: end() }]]);
      const counts = await Promise.all(Array.from({ length: asks }, () => counter.count(async () => reaches)));
      for (const count of counts) t.deepEqual(sorted(count), sorted(naive(committed)));
    }
  },
  { numRuns: 60 },
);

test('each record is read about once however often it is asked', async (t) => {
  const { range, append, end, reads } = harness();
  const counter = createPendingCounter(range);
  for (let n = 0; n < 100; n += 1) {
    append(
      Array.from({ length: 100 }, (_, i) => `k${i % 7}`),
      0,
    );
    await counter.count(async () => new Map([[0, { committed: 0n, end: end() }]]));
  }
  t.is(reads(), 10_000);
  for (let n = 0; n < 20; n += 1) await counter.count(async () => new Map([[0, { committed: 5_500n, end: end() }]]));
  t.true(reads() <= 10_000 + 20 * 1_000);
});

test('an offset that goes back is counted anew', async (t) => {
  const { range, append, end, naive } = harness();
  const counter = createPendingCounter(range);
  append(
    Array.from({ length: 2_500 }, () => 'a'),
    0,
  );
  await counter.count(async () => new Map([[0, { committed: 2_000n, end: end() }]]));
  t.deepEqual(await counter.count(async () => new Map([[0, { committed: 100n, end: end() }]])), naive(100n));
});

test('a reading that fails counts nothing twice and nothing as read', async (t) => {
  const { range, append, end, naive } = harness();
  let breaks = true;
  const counter = createPendingCounter(async function* (...wanted) {
    let pages = 0;
    for await (const page of range(...wanted)) {
      if (breaks && (pages += 1) > 4) throw new Error('broken');
      yield page;
    }
  });
  append(
    Array.from({ length: 1_500 }, () => 'a'),
    0,
  );
  const reaches = new Map([[0, { committed: 0n, end: end() }]]);
  await t.throwsAsync(counter.count(async () => reaches));
  breaks = false;
  t.deepEqual(await counter.count(async () => reaches), naive(0n));
});
