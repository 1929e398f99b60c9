import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { manualClock, seededRandom, silentLogger, testContext } from '@ranger-relay/runtime/testing';
import { Brokers } from '../test/brokers.ts';
import { withAttributes } from '../test/wire.ts';
import { encodeBatch } from '../wire/record-batch.ts';
import { createFetcher } from './fetcher.ts';
import { createUnreadable } from './unreadable.ts';
import { createReader } from './source.ts';

const kib = 1_024;

const harness = (partitions = 1) => {
  const clock = manualClock();
  const brokers = new Brokers(clock, seededRandom(1), { topic: partitions }, 1);
  const unreadable = createUnreadable(clock, silentLogger(), testContext().metrics);
  const parts = { clock, log: silentLogger(), nameOf: (topic: string) => topic, unreadable };
  const fetcher = createFetcher({ metadata: brokers.metadata(), ...parts });
  const offsetFetcher = createFetcher({ metadata: brokers.metadata(), ...parts });
  const stop = new AbortController();
  const state = { news: 0, broken: 0, lost: [] as [from: bigint, to: bigint][] };
  const reader = createReader({
    topic: 'topic',
    topicId: brokers.metadata().topicId('topic'),
    partition: 0,
    endAtStart: 0n,
    fetcher,
    offsetFetcher,
    news: () => (state.news += 1),
    earliest: async () => brokers.of('topic', 0).batches[0]?.base ?? brokers.of('topic', 0).end,
    lost: (from, to) => void state.lost.push([from, to]),
    broken: () => (state.broken += 1),
    signal: stop.signal,
  });
  const put = (sizes: readonly number[], partition = 0): void => {
    const records = sizes.map((size) => ({ key: 'k', value: Buffer.alloc(size) }));
    brokers.store('topic', partition, encodeBatch(records, 1), sizes.length);
  };
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 5) await clock.advance(Math.min(5, left));
  };
  /** Runs the clock until the work is done. */
  const get = async <T>(work: Promise<T>): Promise<T> => {
    const progress = { over: false };
    const end = (): void => void (progress.over = true);
    void work.then(end, end);
    for (let n = 0; n < 1_000 && !progress.over; n += 1) await clock.advance(5);
    return work;
  };
  const fetch = (from: bigint, maxRecords: number, before: bigint | null = null) =>
    get(reader.fetch({ from, before, maxRecords, maxBytes: 1_048_576 }));
  return { clock, brokers, fetcher, stop, state, reader, put, pass, get, fetch };
};

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('main' as const), most: fc.integer({ min: 1, max: 7 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('gap' as const), most: fc.integer({ min: 1, max: 7 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('append' as const), most: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), most: fc.integer({ min: 1, max: 700 }) }) },
);

testProp(
  'for any log, pages, appends and looks back: the main position skips and repeats nothing, and a gap is whole',
  [fc.array(step, { maxLength: 40, size: 'max' }), fc.nat({ max: 9 }), fc.boolean()],
  async (t, steps, first, large) => {
    const { brokers, stop, reader, put, pass, get, fetch, state } = harness();
    const size = large ? 300 * kib : 10;
    const seen: bigint[] = [];
    let position = 0n;
    const main = async (most: number): Promise<boolean> => {
      const page = await fetch(position, most);
      t.true(page.records.length <= most);
      for (const { offset } of page.records) seen.push(offset);
      position = (page.records.at(-1)?.offset ?? position - 1n) + 1n;
      return page.exhausted;
    };
    if (first > 0) put(Array.from({ length: first }, () => size));
    for (const { kind, most } of steps) {
      if (kind === 'append') put(Array.from({ length: Math.min(most, large ? 3 : 9) }, () => size));
      if (kind === 'wait') await pass(most);
      if (kind === 'main') await main(most);
      if (kind === 'gap' && position > 0n) {
        const from = BigInt(Math.floor(Number(position) / 2));
        const { records, exhausted } = await get(
          reader.fetch({ from, before: position, maxRecords: most, maxBytes: 1_000 }),
        );
        const wanted = Array.from({ length: records.length }, (_, i) => from + BigInt(i));
        t.deepEqual(
          records.map(({ offset }) => offset),
          wanted,
        );
        t.true(records.length > 0);
        t.is(exhausted, from + BigInt(records.length) >= position);
      }
    }
    for (let n = 0; n < 500 && position < brokers.of('topic', 0).end; n += 1) {
      const told = state.news;
      if (!(await main(5)) || position === brokers.of('topic', 0).end) continue;
      await pass(300);
      t.is(state.news, told + 1);
    }
    await main(5);
    t.deepEqual(
      seen,
      Array.from({ length: Number(brokers.of('topic', 0).end) }, (_, i) => BigInt(i)),
    );
    await pass(300);
    const told = state.news;
    put([size]);
    await pass(600);
    t.is(state.news, told + 1);
    await main(5);
    t.is(seen.length, Number(brokers.of('topic', 0).end));
    t.is(state.broken, 0);
    stop.abort(new DOMException('over', 'AbortError'));
    await pass(300);
  },
  { numRuns: 60 },
);

test('a gap behind a batch that does not fit beside other partitions is not taken for empty', async (t) => {
  const { fetcher, put, get, reader } = harness(2);
  put([10], 1);
  put(Array.from({ length: 600 }, () => kib));
  const other = fetcher.fetch(
    { topic: 'topic', partition: 1, from: 0n, maxBytes: 1_000 },
    new AbortController().signal,
  );
  const page = await get(reader.fetch({ from: 0n, before: 600n, maxRecords: 500, maxBytes: 1_000 }));
  await other;
  t.is(page.records.length, 500);
  t.false(page.exhausted);
});

test('a gap that a new leader does not show yet is not taken for empty', async (t) => {
  const { brokers, put, get, reader, pass } = harness();
  for (let i = 0; i < 4; i += 1) put([10]);
  brokers.of('topic', 0).shown = 1n;
  const page = get(reader.fetch({ from: 1n, before: 4n, maxRecords: 10, maxBytes: 1_000 }));
  await pass(1_000);
  brokers.of('topic', 0).shown = null;
  t.is((await page).records.length, 3);
});

test('a gap of which nothing is left is over', async (t) => {
  const { brokers, put, fetch, state } = harness();
  for (let i = 0; i < 6; i += 1) put([10]);
  brokers.of('topic', 0).batches.splice(0, 4);
  t.deepEqual(await fetch(1n, 10, 4n), { records: [], exhausted: true });
  t.is((await fetch(1n, 10, 6n)).records.length, 2);
  t.deepEqual(state.lost, [[1n, 4n]]);
});

test('records that retention took are passed over at the main position, and each is told of once', async (t) => {
  const { brokers, put, fetch, state } = harness();
  for (let i = 0; i < 6; i += 1) put([10]);
  brokers.of('topic', 0).batches.splice(0, 4);
  const { records } = await fetch(0n, 10);
  t.deepEqual(
    records.map(({ offset }) => offset),
    [4n, 5n],
  );
  t.is(state.broken, 0);
  t.deepEqual(state.lost, [[0n, 4n]]);
  put([10]);
  brokers.of('topic', 0).batches.splice(0, 2);
  t.is((await fetch(2n, 10)).records.length, 1);
  t.deepEqual(state.lost.slice(1), [[4n, 6n]]);
});

test('the end is known also while nothing can be read, and since when that is', async (t) => {
  const { clock, brokers, put, fetch, pass, reader, stop } = harness();
  put([10]);
  put([10]);
  await fetch(0n, 10);
  t.deepEqual([reader.end(), reader.failingSince()], [2n, null]);
  put([10]);
  withAttributes(brokers.of('topic', 0).batches[2]?.bytes ?? Buffer.alloc(0), 5);
  await pass(1_500);
  const since = reader.failingSince() ?? Infinity;
  t.true(since <= clock.monotonic());
  await pass(40_000);
  t.deepEqual([reader.end(), reader.failingSince()], [3n, since]);
  brokers.away.add(0);
  await pass(40_000);
  t.is(reader.failingSince(), since);
  stop.abort(new DOMException('enough', 'AbortError'));
  t.is(reader.failingSince(), null);
});

test('an offset behind the end breaks the reader: the topic was made anew', async (t) => {
  const { put, fetch, state } = harness();
  put([10]);
  await t.throwsAsync(fetch(7n, 10));
  t.is(state.broken, 1);
});

test('aborting ends an open fetch and the watch, and leaves no timer', async (t) => {
  const { clock, stop, state, put, fetch, get, pass, reader } = harness();
  put([10]);
  await fetch(0n, 10);
  const open = get(reader.fetch({ from: 1n, before: 5n, maxRecords: 1, maxBytes: 1 }));
  await pass(20);
  stop.abort(new DOMException('over', 'AbortError'));
  await t.throwsAsync(open, { message: 'over' });
  await pass(1_000);
  t.is(state.broken, 0);
  t.is(clock.pending(), 0);
});

test('a backlog is read without a wait, while other partitions wait for news', async (t) => {
  const { clock, fetcher, reader, put, get } = harness(2);
  for (let page = 0; page < 8; page += 1) put([600 * kib]);
  const idle = new AbortController();
  t.teardown(() => idle.abort());
  const waiting = fetcher.fetch(
    { topic: 'topic', partition: 1, from: 0n, maxBytes: 1_024, patient: true },
    idle.signal,
  );
  waiting.catch(() => undefined);
  const since = clock.monotonic();
  for (let from = 0n; from < 8n; from += 1n)
    await get(reader.fetch({ from, before: null, maxRecords: 1, maxBytes: 1_048_576 }));
  t.true(clock.monotonic() - since < 500, `${clock.monotonic() - since} ms`);
});

test('a reader whose topic is deleted and created again says so, and knows how far the deleted one went', async (t) => {
  const { brokers, state, reader, put, pass, fetch } = harness();
  put([1, 1, 1]);
  t.is((await fetch(0n, 2)).records.length, 2);
  brokers.recreate('topic');
  put([1, 1, 1, 1, 1, 1, 1, 1, 1]);
  const reading = t.throwsAsync(
    reader.fetch({ from: 2n, before: null, maxRecords: 1, maxBytes: kib }).then(() => fetch(3n, 9)),
  );
  await pass(2_000);
  await reading;
  t.true(state.broken > 0);
  t.deepEqual(state.lost, []);
  t.is(reader.end(), 3n);
});
