import type { RelayError } from '@ranger-relay/errors';
import { manualClock, recordingLogger, seededRandom, testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import type { Cluster } from '../client/cluster.ts';
import { Brokers } from '../test/brokers.ts';
import { encodeBatch } from '../wire/record-batch.ts';
import { createEnds, createLastRecordReader } from './ends.ts';
import { createFetcher, type Fetcher, OutOfRange, type FetchRequest } from './fetcher.ts';
import { createUnreadable } from './unreadable.ts';

const now = Date.UTC(2026, 0, 10);
const day = 86_400_000;

/** Partitions by the times of their records; the broker finds any record by its time, as brokers do. */
const lastRecordsHarness = (
  logs: readonly (readonly number[])[],
  { gone = [], offsetFetcher }: { gone?: readonly number[]; offsetFetcher?: Fetcher } = {},
) => {
  const looked: number[] = [];
  const each = (of: (log: readonly number[]) => number) => async (_: string, partitions: readonly number[]) =>
    new Map(partitions.map((partition) => [partition, BigInt(of(logs[partition] ?? []))]));
  const look = createLastRecordReader({
    partitions: async () => logs.length,
    closing: new AbortController().signal,
    ends: {
      earliest: each(() => 0),
      latest: each((log) => log.length),
      since: (topic, partitions, time) =>
        each((log) => {
          const found = log.findIndex((at) => at >= time);
          return found === -1 ? log.length : found;
        })(topic, partitions),
    },
    offsetFetcher: offsetFetcher ?? {
      async fetch({ topic, partition, from }: FetchRequest) {
        looked.push(partition);
        if (gone.includes(partition)) throw new OutOfRange('gone');
        const log = logs[partition] ?? [];
        const records = log.map((timestamp, index) => ({
          topic,
          partition,
          offset: BigInt(index),
          key: 'k',
          value: new Uint8Array(),
          headers: {},
          timestamp,
        }));
        return { records: records.slice(Number(from)), end: BigInt(log.length), next: BigInt(log.length) };
      },
    },
  });
  return { look: (time: number) => look('topic', time), looked };
};

test('a record that is ahead and was followed by others does not count, and partitions without one are not read', async (t) => {
  const { look, looked } = lastRecordsHarness([[now - day, now + 3 * day, now], [now - day], [], [now, now + 3 * day]]);
  t.deepEqual(await look(now), { partitions: 3, newer: [now + 3 * day] });
  t.deepEqual(looked, [0, 3]);
});

test('a time is no newer than itself', async (t) => {
  t.deepEqual(await lastRecordsHarness([[now]]).look(now), { partitions: 1, newer: [] });
  t.deepEqual(await lastRecordsHarness([[now]]).look(now - 1), { partitions: 1, newer: [now] });
});

test('of a last record that is gone or cannot be read it is known only that some record is later', async (t) => {
  t.deepEqual(await lastRecordsHarness([[now], [now]], { gone: [0] }).look(0), { partitions: 2, newer: [null, now] });
  t.deepEqual(await lastRecordsHarness([[now], [now]], { gone: [0] }).look(now), { partitions: 2, newer: [] });
});

test('brokers are asked for the last record alone, also where it lies in a batch with others', async (t) => {
  const clock = manualClock();
  const brokers = new Brokers(clock, seededRandom(1), { topic: 2 }, 1);
  const { log } = recordingLogger();
  const unreadable = createUnreadable(clock, log, testContext().metrics);
  const offsetFetcher = createFetcher({
    metadata: brokers.metadata(),
    clock,
    log,
    nameOf: (topic) => topic,
    unreadable,
  });
  const record = { key: 'k', value: 'x'.repeat(40_000) };
  brokers.store('topic', 0, encodeBatch([record, record], now + 3 * day), 2);
  brokers.store('topic', 0, encodeBatch([record, record, record], now), 3);
  brokers.store('topic', 1, encodeBatch([record, record], now + 3 * day), 2);
  const logs = [
    [now + 3 * day, now + 3 * day, now, now, now],
    [now + 3 * day, now + 3 * day],
  ];
  const looking = lastRecordsHarness(logs, { offsetFetcher }).look(now);
  for (let step = 0; step < 200; step += 1) await clock.advance(5);
  t.deepEqual(await looking, { partitions: 2, newer: [now + 3 * day] });
  offsetFetcher.close();
});

const retriable = Object.assign(new Error('moving'), { retriable: true });

/** Brokers that answer as scripted, the last answer again and again. */
const harness = (...answers: (Error | Record<number, string>)[]) => {
  const clock = manualClock();
  const state = { asked: 0, refreshes: 0 };
  const cluster = {
    fetchTopicsOffset: async ([{ topic }]: [{ topic: string }]) => {
      const answer = answers[Math.min(state.asked, answers.length - 1)] ?? {};
      state.asked += 1;
      if (answer instanceof Error) throw answer;
      const partitions = Object.entries(answer).map(([partition, offset]) => ({
        partition: Number(partition),
        offset,
      }));
      return [{ topic, partitions }];
    },
  };
  const metadata = { partitions: async () => 2, refresh: async () => void (state.refreshes += 1) };
  const ends = createEnds(cluster as unknown as Cluster, metadata as never, clock);
  return { clock, state, ends };
};

test('leaders that move are looked for again', async (t) => {
  const { clock, state, ends } = harness(retriable, retriable, { 0: '5', 1: '9007199254740993' });
  const found = ends.latest('topic', [0, 1]);
  await clock.advance(300);
  t.deepEqual(Object.fromEntries(await found), { 0: 5n, 1: 9_007_199_254_740_993n });
  t.is(state.refreshes, 2);
});

test('a partition that was left out does not pass for an empty one', async (t) => {
  const { clock, ends } = harness({ 0: '5' }, { 0: '5', 1: '7' });
  const found = ends.earliest('topic', [0, 1]);
  await clock.advance(200);
  t.deepEqual(Object.fromEntries(await found), { 0: 5n, 1: 7n });
});

test('what trying again cannot help fails at once, and what does not end fails in the end', async (t) => {
  const refused = harness(new Error('no'));
  t.is((await t.throwsAsync<RelayError>(refused.ends.latest('topic', [0])))?.code, 'bus_unavailable');
  t.is(refused.state.asked, 1);
  const moving = harness(retriable);
  const error = t.throwsAsync<RelayError>(moving.ends.latest('topic', [0]));
  await moving.clock.advance(10_000);
  t.is((await error)?.code, 'bus_unavailable');
  t.is(moving.clock.pending(), 0);
});

test('nothing asked, nothing found', async (t) => {
  const { state, ends } = harness({});
  t.is((await ends.latest('topic', [])).size, 0);
  t.is(state.asked, 0);
});
