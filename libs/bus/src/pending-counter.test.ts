import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { type Done, isDone, keyName } from './lanes/done.ts';
import type { PendingKey } from './port.ts';
import { createPendingCounter, type CountRange } from './pending-counter.ts';

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
      yield { records: page, to: (page.at(-1)?.offset ?? 0n) + 1n };
    }
  };
  const append = (keys: readonly string[], hole: number): void => {
    end += BigInt(hole);
    for (const key of keys) {
      const offset = end++;
      records.push({ offset, key, timestamp: Number(offset) });
    }
  };
  const naive = (committed: bigint, done: Done | null = null): PendingKey[] =>
    [
      ...Map.groupBy(
        records.filter((record) => record.offset >= committed && !isDone(done, record)),
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

const latest = (a: bigint, b: bigint): bigint => (a > b ? a : b);

const share = fc.double({ min: 0, max: 1, noNaN: true });

const move = fc.record({
  keys: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 700 }),
  hole: fc.nat({ max: 3 }),
  commits: share,
  waits: share,
  ahead: share,
  asks: fc.integer({ min: 1, max: 3 }),
});

test('an offset that was reset to an earlier record shows what it makes undone again', async (t) => {
  const { range, append, naive, end } = harness();
  append(
    Array.from({ length: 100 }, () => 'a'),
    0,
  );
  const counter = createPendingCounter(range);
  for (const committed of [10n, 90n, 60n])
    t.deepEqual(
      await counter.count(async () => new Map([[0, { committed, done: null, end: end() }]])),
      naive(committed),
    );
});

testProp(
  'it counts what a plain count finds, however offsets and ends move and however often it is asked, even at once',
  [fc.array(move, { minLength: 1, maxLength: 12 })],
  async (t, moves) => {
    const { range, append, naive, end } = harness();
    const counter = createPendingCounter(range);
    let committed = 0n;
    /** What is done behind key `a`, which waits. */
    let [first, position] = [0n, 0n];
    for (const { keys, hole, commits, waits, ahead, asks } of moves) {
      append(keys, hole);
      committed += BigInt(Math.floor(Number(end() - committed) * commits));
      first = latest(first, committed) + BigInt(Math.floor(Number(end() - latest(first, committed)) * waits));
      position = latest(position, first) + BigInt(Math.floor(Number(end() - latest(position, first)) * ahead));
      const done = { position, waiting: new Map([[keyName('a'), first]]) };
      const reaches = new Map([[0, { committed, done, end: end() }]]);
      const counts = await Promise.all(Array.from({ length: asks }, () => counter.count(async () => reaches)));
      for (const count of counts) t.deepEqual(sorted(count), sorted(naive(committed, done)));
    }
  },
  { numRuns: 60 },
);

test('each record is read once however often it is asked', async (t) => {
  const { range, append, end, reads } = harness();
  const counter = createPendingCounter(range);
  for (let n = 0; n < 100; n += 1) {
    append(
      Array.from({ length: 100 }, (_, i) => `k${i % 7}`),
      0,
    );
    await counter.count(async () => new Map([[0, { committed: 0n, done: null, end: end() }]]));
  }
  t.is(reads(), 10_000);
  for (let n = 0; n < 20; n += 1)
    await counter.count(async () => new Map([[0, { committed: 5_500n, done: null, end: end() }]]));
  t.is(reads(), 10_000);
});

test('an offset that goes back is counted anew', async (t) => {
  const { range, append, end, naive } = harness();
  const counter = createPendingCounter(range);
  append(
    Array.from({ length: 2_500 }, () => 'a'),
    0,
  );
  await counter.count(async () => new Map([[0, { committed: 2_000n, done: null, end: end() }]]));
  t.deepEqual(
    await counter.count(async () => new Map([[0, { committed: 100n, done: null, end: end() }]])),
    naive(100n),
  );
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
  const reaches = new Map([[0, { committed: 0n, done: null, end: end() }]]);
  await t.throwsAsync(counter.count(async () => reaches));
  breaks = false;
  t.deepEqual(await counter.count(async () => reaches), naive(0n));
});
