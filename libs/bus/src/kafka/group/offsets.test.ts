import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { manualClock, recordingLogger } from '@ranger-relay/runtime/testing';
import type { Membership } from './coordinator.ts';
import { createCommits } from './offsets.ts';

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
  const commit = async ({ generation }: Membership, _: string, sent: ReadonlyMap<number, bigint>): Promise<void> => {
    tries += 1;
    if (state.answerMs > 0) await clock.sleep(state.answerMs);
    if (state.error) throw state.error;
    stored.push({ generation, offsets: Object.fromEntries(sent) });
    for (const [partition, offset] of sent) offsets.set(partition, offset);
  };
  const commits = createCommits({ commit }, 'topic', () => state.place, clock, log);
  const said = (level: string): number => lines.filter((line) => line['level'] === level).length;
  return { clock, state, stored, offsets, commits, said, tries: () => tries };
};

test('offsets of many partitions are stored together, a little later', async (t) => {
  const { clock, commits, stored } = harness();
  commits.commit(0, 5n);
  commits.commit(1, 7n);
  commits.commit(0, 6n);
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
  commits.commit(0, 6n);
  commits.commit(0, 5n);
  await clock.advance(300);
  commits.commit(0, 4n);
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
    commits.commit(0, 5n);
    await clock.advance(1_000);
    state.place = { memberId: 'm', generation: 2 };
    state.error = null;
    await clock.advance(1_000);
    t.deepEqual(stored, [{ generation: 2, offsets: { 0: 5n } }]);
  });

test('what was refused for long is still stored when the group takes it, although nothing new is done', async (t) => {
  const { clock, commits, state, stored, said } = harness();
  state.error = protocolError('ILLEGAL_GENERATION');
  commits.commit(0, 5n);
  await clock.advance(60_000);
  t.is(said('warn'), 1);
  t.regex(commits.trouble() ?? '', /ILLEGAL/);
  state.error = null;
  await clock.advance(5_000);
  t.deepEqual(stored, [{ generation: 1, offsets: { 0: 5n } }]);
  t.is(said('info'), 1);
  t.is(commits.trouble(), null);
});

test('a place that is lost stores nothing more, and leaves no timer', async (t) => {
  const { clock, commits, state, stored } = harness();
  state.error = protocolError('UNKNOWN_MEMBER_ID');
  commits.commit(0, 5n);
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
  commits.commit(0, 5n);
  commits.commit(1, 5n);
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
  commits.commit(0, 5n);
  const first = commits.flush();
  await clock.advance(1_000);
  state.error = null;
  await clock.advance(200);
  await first;
  t.is(offsets.get(0), 5n);
  state.error = new Error('away');
  commits.commit(0, 6n);
  const second = t.throwsAsync(commits.flush(), { message: 'away' });
  await clock.advance(4_000);
  await second;
});

test('a commit that is noted while another is on its way is stored too', async (t) => {
  const { clock, commits, state, offsets } = harness();
  state.answerMs = 100;
  commits.commit(0, 5n);
  await clock.advance(300);
  commits.commit(0, 6n);
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
  [fc.array(step, { maxLength: 30 })],
  async (t, steps) => {
    const { clock, commits, state, stored, offsets } = harness();
    state.answerMs = 40;
    const done = new Map<number, bigint>();
    for (const { partition, by, ms, fails } of steps) {
      state.error = fails ? new Error('away') : null;
      done.set(partition, (done.get(partition) ?? 1n) + BigInt(by));
      commits.commit(partition, done.get(partition) ?? 0n);
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
