import test from 'ava';
import { recordingLogger, testContext } from '@ranger-relay/runtime/testing';
import { reportLostTo } from '../../consume/lost-records.ts';
import { startsOf } from './starts.ts';

const of = (offset: bigint) => async (_: string, partitions: readonly number[]) =>
  new Map(partitions.map((partition) => [partition, offset]));

const now = Date.UTC(2026, 0, 10);
const day = 86_400_000;

const harness = (
  committed: Record<number, bigint>,
  {
    from = 'recent',
    since = 3n,
    newest = [now],
  }: { from?: 'recent' | 'earliest' | 'latest'; since?: bigint; newest?: readonly (number | null)[] } = {},
) => {
  const { log, lines } = recordingLogger();
  const { metrics } = testContext();
  const asked: number[] = [];
  const stored: Record<number, bigint>[] = [];
  const parts = {
    topic: 'topic',
    from,
    log,
    place: () => ({ memberId: 'm', generation: 1 }),
    lost: reportLostTo(log, metrics, { topic: 'topic', group: 'g' }),
    clock: { now: () => now },
    ends: {
      earliest: of(3n),
      latest: of(10n),
      since: async (topic: string, partitions: readonly number[], time: number) => {
        asked.push(time);
        return of(since)(topic, partitions);
      },
    },
    lookAtLast: async () => ({ partitions: newest.length, newer: newest }),
    coordinator: {
      committed: async () => new Map(Object.entries(committed).map(([p, offset]) => [Number(p), offset])),
      commit: async (_: unknown, __: string, offsets: ReadonlyMap<number, bigint>) =>
        void stored.push(Object.fromEntries(offsets)),
    },
  };
  const starts = async (...partitions: number[]) => Object.fromEntries(await startsOf(parts, partitions));
  return { starts, stored, lines, metrics, asked };
};

test('a group goes on where it stands, also at the end', async (t) => {
  const { starts, lines } = harness({ 0: 5n, 1: 10n });
  t.deepEqual(await starts(0, 1), { 0: 5n, 1: 10n });
  t.deepEqual(lines, []);
});

test('a group without an offset starts at the first record that there is, and stores where that is, so that it does not move', async (t) => {
  const { starts, stored, lines } = harness({ 0: 5n });
  t.deepEqual(await starts(0, 1), { 0: 5n, 1: 3n });
  t.deepEqual(stored, [{ 1: 3n }]);
  t.deepEqual(lines, []);
});

test('a group whose offsets are gone passes over what is older than five days, stores that, and says and counts what it passes', async (t) => {
  const { starts, stored, lines, metrics, asked } = harness({ 0: 5n }, { since: 7n });
  t.deepEqual(await starts(0, 1), { 0: 5n, 1: 7n });
  t.deepEqual(asked, [now - 5 * 86_400_000]);
  t.deepEqual(stored, [{ 1: 7n }]);
  t.like(lines, [{ level: 'error', topic: 'topic', group: 'g', partition: 1, from: '3', to: '7', records: 4 }]);
  t.regex(await metrics.render(), /relay_bus_lost_records_total\{topic="topic",reason="no_offsets"\} 4/);
});

test('a group that retention has overtaken goes on at the first record, and says and counts what is gone', async (t) => {
  const { starts, stored, lines, metrics } = harness({ 0: 1n, 1: 3n });
  t.deepEqual(await starts(0, 1), { 0: 3n, 1: 3n });
  t.deepEqual(stored, []);
  t.like(lines, [{ level: 'error', topic: 'topic', partition: 0, from: '1', to: '3', records: 2 }]);
  t.regex(await metrics.render(), /relay_bus_lost_records_total\{topic="topic",reason="retention"\} 2/);
});

test('a group that wants everything starts at the first record however old it is, and stores that', async (t) => {
  const { starts, stored, lines } = harness({ 0: 5n }, { from: 'earliest', since: 7n });
  t.deepEqual(await starts(0, 1), { 0: 5n, 1: 3n });
  t.deepEqual(stored, [{ 1: 3n }]);
  t.deepEqual(lines, []);
});

test('a group that starts at the latest stores where that is, so that it does not move', async (t) => {
  const { starts, stored, lines } = harness({ 0: 5n }, { from: 'latest' });
  t.deepEqual(await starts(0, 1), { 0: 5n, 1: 10n });
  t.deepEqual(stored, [{ 1: 10n }]);
  t.deepEqual(lines, []);
});

for (const from of ['recent', 'latest'] as const)
  test(`an offset behind the end, with ${from}: no more than five days are read again, that is stored, and what is passed over is said`, async (t) => {
    const { starts, stored, lines, metrics, asked } = harness({ 0: 11n, 1: 4n }, { from, since: 7n });
    t.deepEqual(await starts(0, 1), { 0: 7n, 1: 4n });
    t.deepEqual(asked, [now - 5 * 86_400_000]);
    t.deepEqual(stored, [{ 0: 7n }]);
    t.like(lines, [
      { level: 'error', topic: 'topic', partition: 0, offset: '11', end: '10' },
      { level: 'error', topic: 'topic', group: 'g', partition: 0, from: '3', to: '7', records: 4 },
    ]);
    t.regex(await metrics.render(), /relay_bus_lost_records_total\{topic="topic",reason="no_offsets"\} 4/);
  });

test('an offset behind the end of a topic from which what is done goes: it is read from its first record', async (t) => {
  const { starts, stored, lines } = harness({ 0: 11n, 1: 4n }, { from: 'earliest', since: 7n });
  t.deepEqual(await starts(0, 1), { 0: 3n, 1: 4n });
  t.deepEqual(stored, [{ 0: 3n }]);
  t.deepEqual(
    lines.map(({ level }) => level),
    ['error'],
  );
});

test('five days are counted back from the newest record of the topic where our clock is ahead of it, and never from a time to come', async (t) => {
  for (const [newest, base] of [
    [[now - 20 * day, now - 6 * day], now - 6 * day],
    [[now - 6 * day, now + 3 * day], now],
    [[now], now],
    [[null, now - 6 * day], now - 6 * day],
    [[null], now],
    [[], now],
  ] as const) {
    const { starts, asked } = harness({}, { newest });
    await starts(0);
    t.deepEqual(asked, [base - 5 * day]);
  }
});
