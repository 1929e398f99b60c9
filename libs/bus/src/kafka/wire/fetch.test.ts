import test from 'ava';
import { fetchAnswer, rawBroker, readFetch, withAttributes, type FetchedPart } from '../test/wire.ts';
import { fetchParts } from './fetch.ts';
import { encodeBatch } from './record-batch.ts';

const batchAt = (base: bigint, ...values: readonly string[]): Buffer => {
  const batch = encodeBatch(
    values.map((value) => ({ key: 'k', value, headers: { h: value } })),
    1_000,
  );
  batch.writeBigInt64BE(base, 0);
  return batch;
};

const wish = (partition: number, from: bigint, topic = 'p.t') => ({ topic, partition, from, maxBytes: 1_000 });
const named = (wishes: readonly ReturnType<typeof wish>[]) =>
  wishes.map((each) => Object.assign({ topicId: undefined }, each));
const nameOf = (topic: string): string => topic.slice(2);

const ask = (parts: readonly FetchedPart[], ...wishes: readonly ReturnType<typeof wish>[]) =>
  fetchParts(
    rawBroker(() => fetchAnswer(parts)),
    named(wishes),
    nameOf,
  );

test('the wishes reach the broker in their order', async (t) => {
  const wishes = [wish(1, 5n), wish(0, 9_999_999_999n, 'p.ü'), wish(2, 0n)];
  let seen: unknown;
  const broker = rawBroker((_, body) => {
    seen = readFetch(body);
    return fetchAnswer([]);
  });
  t.deepEqual(await fetchParts(broker, named(wishes), nameOf), []);
  t.deepEqual(seen, wishes);
});

/** Ids of the topics, as the brokers tell them. */
const ids: Readonly<Record<string, string>> = { 'p.t': 'aa'.repeat(16), 'p.u': '0b'.repeat(16) };
const withId = (each: ReturnType<typeof wish>) => ({ ...each, topicId: ids[each.topic] ?? '' });

test('a broker that knows topics by their ids is asked by them, and its answer is that of the names', async (t) => {
  const wishes = [wish(1, 5n), wish(0, 9_999_999_999n, 'p.u'), wish(2, 0n)];
  let seen: unknown;
  const broker = rawBroker(
    (_, body, version) => {
      seen = readFetch(body, version);
      const parts = [
        { topic: ids['p.t'] ?? '', partition: 1, end: 9n, records: batchAt(4n, 'a', 'b'.repeat(300), 'c') },
        { topic: ids['p.u'] ?? '', partition: 0, code: 100 },
      ];
      return fetchAnswer(parts, version);
    },
    { fetch: 13 },
  );
  const answers = await fetchParts(broker, wishes.map(withId), nameOf);
  t.deepEqual(
    seen,
    wishes.map((each) => Object.assign(each, { topic: ids[each.topic] })),
  );
  t.deepEqual(
    answers.map(({ topic, partition, code, end, next, records }) => [
      topic,
      partition,
      code,
      end,
      next,
      records.length,
    ]),
    [
      ['p.t', 1, 0, 9n, 7n, 2],
      ['p.u', 0, 100, 0n, 9_999_999_999n, 0],
    ],
  );
});

test('a broker that does not know ids, or whose topics have none, is asked by the names', async (t) => {
  for (const [newest, wishes] of [
    [12, [withId(wish(0, 0n))]],
    [13, named([wish(0, 0n)])],
  ] as const) {
    let asked = 0;
    const broker = rawBroker(
      (_, __, version) => {
        asked = version;
        return fetchAnswer([]);
      },
      { fetch: newest },
    );
    await fetchParts(broker, wishes, nameOf);
    t.is(asked, 11);
  }
});

test('records carry the name without prefix and start at the wanted offset', async (t) => {
  const parts = [{ topic: 'p.t', partition: 0, end: 9n, records: batchAt(4n, 'a', 'b', 'c') }];
  const [answer] = await ask(parts, wish(0, 5n));
  t.like(answer, { code: 0, end: 9n, next: 7n });
  t.deepEqual(
    answer?.records.map(({ topic, offset, value, headers }) => [topic, offset, Buffer.from(value).toString(), headers]),
    [
      ['t', 5n, 'b', { h: 'b' }],
      ['t', 6n, 'c', { h: 'c' }],
    ],
  );
});

test('the error of one partition hides no other', async (t) => {
  const parts = [
    { topic: 'p.t', partition: 0, code: 6 },
    { topic: 'p.t', partition: 1, end: 1n, records: batchAt(0n, 'a') },
    { topic: 'p.u', partition: 0, code: 29 },
  ];
  const answers = await ask(parts, wish(0, 0n), wish(1, 0n), wish(0, 0n, 'p.u'));
  t.deepEqual(
    answers.map(({ code, records }) => [code, records.length]),
    [
      [6, 0],
      [0, 1],
      [29, 0],
    ],
  );
});

test('a batch of one partition that cannot be read hides no other partition', async (t) => {
  const parts = [
    { topic: 'p.t', partition: 0, end: 9n, records: withAttributes(batchAt(4n, 'a'), 3) },
    { topic: 'p.t', partition: 1, end: 2n, records: Buffer.concat([batchAt(0n, 'b'), batchAt(1n, 'c').fill(9, 70)]) },
    { topic: 'p.u', partition: 0, end: 1n, records: batchAt(0n, 'd') },
  ];
  const answers = await ask(parts, wish(0, 4n), wish(1, 0n), wish(0, 0n, 'p.u'));
  t.deepEqual(
    answers.map(({ records, next, unreadable }) => [records.length, next, unreadable?.offset, unreadable?.codec]),
    [
      [0, 4n, 4n, 'lz4'],
      [1, 1n, 1n, 'none'],
      [1, 1n, undefined, undefined],
    ],
  );
});

test('marks of transactions are no records, and reading goes on behind them', async (t) => {
  const marks = withAttributes(batchAt(3n, 'mark'), 0x20);
  const records = Buffer.concat([batchAt(2n, 'a'), marks]);
  const [answer] = await ask([{ topic: 'p.t', partition: 0, end: 4n, records }], wish(0, 2n));
  t.is(answer?.records.length, 1);
  t.is(answer?.next, 4n);
});

test('a batch that is cut off at the end is left for the next look', async (t) => {
  const records = Buffer.concat([batchAt(0n, 'a'), batchAt(1n, 'b').subarray(0, 70)]);
  const [answer] = await ask([{ topic: 'p.t', partition: 0, end: 2n, records }], wish(0, 0n));
  t.is(answer?.records.length, 1);
  t.is(answer?.next, 1n);
});

test('nothing new leaves the place where it was', async (t) => {
  const [answer] = await ask([{ topic: 'p.t', partition: 0, end: 3n }], wish(0, 3n));
  t.like(answer, { records: [], next: 3n, end: 3n });
});

test('a header named as what every object has is read like any other', async (t) => {
  const records = encodeBatch([{ key: 'k', value: 'v', headers: { constructor: 'c', valueOf: 'v' } }], 0);
  const [answer] = await ask([{ topic: 'p.t', partition: 0, end: 1n, records }], wish(0, 0n));
  t.deepEqual(Object.entries(answer?.records[0]?.headers ?? {}), [
    ['constructor', 'c'],
    ['valueOf', 'v'],
  ]);
});
