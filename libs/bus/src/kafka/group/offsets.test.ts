import { firstCommit } from '../../consume/commit.ts';
import { encodeDone, keyName } from '../../lanes/done.ts';
import { fc, testProp } from '@fast-check/ava';
import { manualClock, recordingLogger, testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { reportLostTo } from '../../consume/lost-records.ts';
import type { KafkaCommit, Membership } from './coordinator.ts';
import { createCommits, startsOf } from './offsets.ts';

const of = (offset: bigint) => async (_: string, partitions: readonly number[]) =>
  new Map(partitions.map((partition) => [partition, offset]));

const now = Date.UTC(2026, 0, 10);
const day = 86_400_000;

/** A commit that announces nothing beyond its offset. */
const at = (offset: bigint) => ({ ...firstCommit(offset), topicId: undefined });

const startsHarness = (
  committed: Record<number, bigint | (ReturnType<typeof firstCommit> & { readonly topicId: string })>,
  {
    from = 'recent',
    since = 3n,
    newest = [now],
    topicId,
    maybeSentAtTakeOver = 'announced',
  }: {
    maybeSentAtTakeOver?: 'announced' | 'undone';
    from?: 'recent' | 'earliest' | 'latest';
    since?: bigint;
    newest?: readonly (number | null)[];
    topicId?: string;
  } = {},
) => {
  const { log, lines } = recordingLogger();
  const { metrics } = testContext();
  const asked: number[] = [];
  const stored: Record<number, bigint>[] = [];
  const parts = {
    topic: 'topic',
    from,
    maybeSentAtTakeOver,
    log,
    membership: () => ({ memberId: 'm', generation: 1 }),
    lost: reportLostTo({ log, metrics }, { topic: 'topic', group: 'g' }),
    clock: { now: () => now },
    ends: {
      earliest: of(3n),
      latest: of(10n),
      since: async (topic: string, partitions: readonly number[], time: number) => {
        asked.push(time);
        return of(since)(topic, partitions);
      },
    },
    topicId: async () => topicId,
    readLastRecord: async () => ({ partitions: newest.length, newer: newest }),
    coordinator: {
      committed: async () =>
        new Map(Object.entries(committed).map(([p, each]) => [Number(p), typeof each === 'bigint' ? at(each) : each])),
      commit: async (_: unknown, __: string, commits: ReadonlyMap<number, KafkaCommit>) =>
        void stored.push(Object.fromEntries([...commits].map(([p, { offset }]) => [p, offset]))),
    },
  };
  const startsAfter = (undone: ReadonlyMap<number, number>, ...partitions: number[]) =>
    startsOf(parts, partitions, undone);
  const starts = async (...partitions: number[]) =>
    Object.fromEntries([...(await startsAfter(new Map(), ...partitions))].map(([p, { offset }]) => [p, offset]));
  return { starts, startsAfter, stored, lines, metrics, asked };
};

test('a group goes on where it stands, also at the end', async (t) => {
  const { starts, lines } = startsHarness({ 0: 5n, 1: 10n });
  t.deepEqual(await starts(0, 1), { 0: 5n, 1: 10n });
  t.deepEqual(lines, []);
});

test('of a group without an offset nothing may have been sent, or, without announcements, all that is there', async (t) => {
  for (const [maybeSentAtTakeOver, maybeSentBelow] of [
    ['announced', 3n],
    ['undone', 10n],
  ] as const) {
    const { startsAfter } = startsHarness({}, { from: 'earliest', maybeSentAtTakeOver });
    t.like((await startsAfter(new Map(), 0)).get(0), { offset: 3n, maybeSentBelow });
  }
});

test('a group without an offset starts at the first record that there is, and stores where that is, so that it does not move', async (t) => {
  const { starts, stored, lines } = startsHarness({ 0: 5n });
  t.deepEqual(await starts(0, 1), { 0: 5n, 1: 3n });
  t.deepEqual(stored, [{ 1: 3n }]);
  t.deepEqual(lines, []);
});

test('a group whose offsets are gone passes over what is older than five days, stores that, and says and counts what it passes', async (t) => {
  const { starts, stored, lines, metrics, asked } = startsHarness({ 0: 5n }, { since: 7n });
  t.deepEqual(await starts(0, 1), { 0: 5n, 1: 7n });
  t.deepEqual(asked, [now - 5 * 86_400_000]);
  t.deepEqual(stored, [{ 1: 7n }]);
  t.like(lines, [{ level: 'error', topic: 'topic', group: 'g', partition: 1, from: '3', to: '7', records: 4 }]);
  t.regex(await metrics.render(), /relay_bus_lost_records_total\{topic="topic",reason="no_offsets"\} 4/);
});

test('a group that retention has overtaken goes on at the first record, and says and counts what is gone', async (t) => {
  const { starts, stored, lines, metrics } = startsHarness({ 0: 1n, 1: 3n });
  t.deepEqual(await starts(0, 1), { 0: 3n, 1: 3n });
  t.deepEqual(stored, [{ 0: 3n }], 'so that the next member does not report it again');
  t.like(lines, [{ level: 'error', topic: 'topic', partition: 0, from: '1', to: '3', records: 2 }]);
  t.regex(await metrics.render(), /relay_bus_lost_records_total\{topic="topic",reason="retention"\} 2/);
});

test('a group that wants everything starts at the first record however old it is, and stores that', async (t) => {
  const { starts, stored, lines } = startsHarness({ 0: 5n }, { from: 'earliest', since: 7n });
  t.deepEqual(await starts(0, 1), { 0: 5n, 1: 3n });
  t.deepEqual(stored, [{ 1: 3n }]);
  t.deepEqual(lines, []);
});

test('a group that starts at the latest stores where that is, so that it does not move', async (t) => {
  const { starts, stored, lines } = startsHarness({ 0: 5n }, { from: 'latest' });
  t.deepEqual(await starts(0, 1), { 0: 5n, 1: 10n });
  t.deepEqual(stored, [{ 1: 10n }]);
  t.deepEqual(lines, []);
});

for (const from of ['recent', 'latest'] as const)
  test(`an offset behind the end, with ${from}: no more than five days are read again, that is stored, and what is passed over is said`, async (t) => {
    const { starts, stored, lines, metrics, asked } = startsHarness({ 0: 11n, 1: 4n }, { from, since: 7n });
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
  const { starts, stored, lines } = startsHarness({ 0: 11n, 1: 4n }, { from: 'earliest', since: 7n });
  t.deepEqual(await starts(0, 1), { 0: 3n, 1: 4n });
  t.deepEqual(stored, [{ 0: 3n }]);
  t.deepEqual(
    lines.map(({ level }) => level),
    ['error'],
  );
});

const [deleted, recreated] = ['aa', 'bb'].map((byte) => byte.repeat(16)) as [string, string];
const of5 = { offset: 5n, announced: 9n, done: '', topicId: deleted };

for (const [how, undone, records] of [
  ['this member has read, all its undone records', new Map([[0, 40]]), 40],
  ['nobody here has read, those that were announced', new Map<number, number>(), 4],
] as const)
  test(`a position of a deleted topic is none of the new one, which is read from its start; of the one that ${how} are reported`, async (t) => {
    const { startsAfter, stored, lines, metrics } = startsHarness({ 0: of5 }, { topicId: recreated });
    const starts = await startsAfter(undone, 0);
    t.deepEqual(starts, new Map([[0, { offset: 3n, maybeSentBelow: 3n, done: null, topicId: recreated, end: 10n }]]));
    t.deepEqual(stored, [{ 0: 3n }]);
    t.like(lines, [{ level: 'error', topic: 'topic', group: 'g', partition: 0, records }]);
    t.regex(
      await metrics.render(),
      new RegExp(`relay_bus_lost_records_total\\{topic="topic",reason="recreated"\\} ${records}$`, 'm'),
    );
  });

test('of a deleted topic without announcements, each key that waits is reported', async (t) => {
  const done = encodeDone({
    position: 30n,
    waiting: new Map([
      [keyName('a'), 10n],
      [keyName('b'), 12n],
    ]),
  });
  const commit = { offset: 10n, announced: 10n, done, topicId: deleted };
  const { startsAfter, lines } = startsHarness({ 0: commit }, { topicId: recreated, maybeSentAtTakeOver: 'undone' });
  await startsAfter(new Map(), 0);
  t.like(lines, [{ level: 'error', partition: 0, records: 2 }]);
});

test('a topic whose commits went with it is read from its start by the member that read the deleted one', async (t) => {
  const { startsAfter, lines } = startsHarness({}, { topicId: recreated, since: 7n });
  t.like((await startsAfter(new Map([[0, 2]]), 0)).get(0), { offset: 3n });
  t.like(lines, [{ level: 'error', partition: 0, records: 2 }]);
});

test('a commit goes on in its own topic, and one that tells no topic, or brokers that have no ids, in the topic of the name', async (t) => {
  for (const [commit, topicId] of [
    [{ ...of5, topicId: recreated }, recreated],
    [5n, recreated],
    [of5, undefined],
  ] as const) {
    const { startsAfter, lines } = startsHarness({ 0: commit }, topicId === undefined ? {} : { topicId });
    t.like((await startsAfter(new Map(), 0)).get(0), { offset: 5n, topicId });
    t.deepEqual(lines, []);
  }
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
    const { starts, asked } = startsHarness({}, { newest });
    await starts(0);
    t.deepEqual(asked, [base - 5 * day]);
  }
});

const protocolError = (type: string): Error => Object.assign(new Error(type), { type });

const harness = () => {
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const state: { place: Membership | undefined; error: Error | null; answerMs: number } = {
    place: { memberId: 'm', generation: 1 },
    error: null,
    answerMs: 0,
  };
  const stored: { generation: number; offsets: Record<number, bigint> }[] = [];
  const offsets = new Map<number, bigint>();
  let tries = 0;
  const commit = async (
    { generation }: Membership,
    _: string,
    sent: ReadonlyMap<number, KafkaCommit>,
  ): Promise<void> => {
    tries += 1;
    if (state.answerMs > 0) await clock.sleep(state.answerMs);
    if (state.error) throw state.error;
    stored.push({ generation, offsets: Object.fromEntries([...sent].map(([p, { offset }]) => [p, offset])) });
    for (const [partition, { offset }] of sent) offsets.set(partition, offset);
  };
  const commits = createCommits({ commit }, 'topic', () => state.place, clock, log);
  const said = (level: string): number => lines.filter((line) => line['level'] === level).length;
  return { clock, state, stored, offsets, commits, said, tries: () => tries };
};

test('offsets of many partitions are stored together, a little later', async (t) => {
  const { clock, commits, stored } = harness();
  commits.commit(0, at(5n));
  commits.commit(1, at(7n));
  commits.commit(0, at(6n));
  await clock.advance(249);
  t.deepEqual(stored, []);
  await clock.advance(1);
  t.deepEqual(stored, [{ generation: 1, offsets: { 0: 6n, 1: 7n } }]);
  await clock.advance(10_000);
  t.is(stored.length, 1);
  t.is(clock.pending(), 0);
});

test('an offset never goes back', async (t) => {
  const { clock, commits, stored } = harness();
  commits.commit(0, at(6n));
  commits.commit(0, at(5n));
  await clock.advance(300);
  commits.commit(0, at(4n));
  await clock.advance(300);
  t.deepEqual(
    stored.map(({ offsets }) => offsets[0]),
    [6n],
  );
});

for (const type of ['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION'])
  test(`what is refused with ${type} while the group is shared is stored in the next generation`, async (t) => {
    const { clock, commits, state, stored } = harness();
    state.error = protocolError(type);
    commits.commit(0, at(5n));
    await clock.advance(1_000);
    state.place = { memberId: 'm', generation: 2 };
    state.error = null;
    await clock.advance(1_000);
    t.deepEqual(stored, [{ generation: 2, offsets: { 0: 5n } }]);
  });

test('what was refused for long is still stored when the group takes it, although nothing new is done', async (t) => {
  const { clock, commits, state, stored, said } = harness();
  state.error = protocolError('ILLEGAL_GENERATION');
  commits.commit(0, at(5n));
  await clock.advance(60_000);
  t.is(said('warn'), 1);
  t.regex(commits.failure() ?? '', /ILLEGAL/);
  state.error = null;
  await clock.advance(5_000);
  t.deepEqual(stored, [{ generation: 1, offsets: { 0: 5n } }]);
  t.is(said('info'), 1);
  t.is(commits.failure(), null);
});

test('a place that is lost stores nothing more, and leaves no timer', async (t) => {
  const { clock, commits, state, stored } = harness();
  state.error = protocolError('UNKNOWN_MEMBER_ID');
  commits.commit(0, at(5n));
  await clock.advance(300);
  state.place = undefined;
  commits.drop([0]);
  state.error = null;
  await clock.advance(10_000);
  state.place = { memberId: 'm2', generation: 4 };
  await clock.advance(10_000);
  t.deepEqual(stored, []);
  t.is(clock.pending(), 0);
});

test('a partition that is lost while its offset is on its way is not stored under the next place', async (t) => {
  const { clock, commits, state, stored } = harness();
  state.error = protocolError('UNKNOWN_MEMBER_ID');
  commits.commit(0, at(5n));
  commits.commit(1, at(5n));
  await clock.advance(300);
  commits.drop([0]);
  state.place = { memberId: 'm2', generation: 4 };
  state.error = null;
  await clock.advance(1_000);
  t.deepEqual(stored, [{ generation: 4, offsets: { 1: 5n } }]);
});

test('a flush tries for a while, and says when it was in vain', async (t) => {
  const { clock, commits, state, offsets } = harness();
  state.error = new Error('away');
  commits.commit(0, at(5n));
  const first = commits.flush();
  await clock.advance(1_000);
  state.error = null;
  await clock.advance(200);
  await first;
  t.is(offsets.get(0), 5n);
  state.error = new Error('away');
  commits.commit(0, at(6n));
  const second = t.throwsAsync(commits.flush(), { message: 'away' });
  await clock.advance(4_000);
  await second;
});

test('a commit that is noted while another is on its way is stored too', async (t) => {
  const { clock, commits, state, offsets } = harness();
  state.answerMs = 100;
  commits.commit(0, at(5n));
  await clock.advance(300);
  commits.commit(0, at(6n));
  await clock.advance(1_000);
  t.is(offsets.get(0), 6n);
});

const step = fc.record({
  partition: fc.nat({ max: 2 }),
  by: fc.nat({ max: 3 }),
  ms: fc.nat({ max: 700 }),
  fails: fc.boolean(),
});

testProp(
  'in the end the last of what was done is stored, and nothing went back on the way',
  [fc.array(step, { maxLength: 30, size: 'max' })],
  async (t, steps) => {
    const { clock, commits, state, stored, offsets } = harness();
    state.answerMs = 40;
    const done = new Map<number, bigint>();
    for (const { partition, by, ms, fails } of steps) {
      state.error = fails ? new Error('away') : null;
      done.set(partition, (done.get(partition) ?? 1n) + BigInt(by));
      commits.commit(partition, at(done.get(partition) ?? 0n));
      await clock.advance(ms);
    }
    state.error = null;
    await clock.advance(10_000);
    t.deepEqual([...offsets].sort(), [...done].sort());
    for (const partition of done.keys()) {
      const sent = stored.flatMap(({ offsets: each }) => each[partition] ?? []);
      t.deepEqual(
        sent,
        sent.toSorted((a, b) => Number(a - b)),
      );
    }
    t.is(clock.pending(), 0);
  },
);
