import test from 'ava';
import { manualClock, recordingLogger } from '@ranger-relay/runtime/testing';
import type { LostRange } from '../../consume/lost-records.ts';
import { TopicRecreated } from '../fetch/fetcher.ts';
import { createWork, type WorkingPartition } from './work.ts';

interface Made extends WorkingPartition {
  readonly partition: number;
  readonly offset: bigint;
  readonly broken: (problem: unknown) => void;
  stopped: boolean;
  ended: boolean;
}

const harness = (handOverMs = 0) => {
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const made: Made[] = [];
  const state = { handlerMs: 0, startMs: 0, error: null as Error | null, offset: 5n, flushError: null as Error | null };
  const dropped: number[][] = [];
  const undone: ReadonlyMap<number, number>[] = [];
  const losses: LostRange[] = [];
  let flushes = 0;
  const work = createWork({
    topic: 'topic',
    handOverMs,
    clock,
    log,
    lost: (range) => void losses.push(range),
    async starts(partitions, undoneBefore, lost) {
      undone.push(undoneBefore);
      for (const partition of partitions) lost({ partition, reason: 'retention', from: 1n, to: state.offset });
      if (state.startMs > 0) await clock.sleep(state.startMs);
      if (state.error) throw state.error;
      return new Map(
        partitions.map((partition) => [
          partition,
          { offset: state.offset, maybeSentBelow: 0n, done: null, topicId: undefined, end: 0n },
        ]),
      );
    },
    startOne(partition, { offset }, broken) {
      const one: Made = {
        partition,
        offset,
        broken,
        stopped: false,
        ended: false,
        notify: () => undefined,
        wake: () => undefined,
        undone: { has: () => false, names: () => [] },
        oldest: () => null,
        lag: async () => (one.ended ? 0 : 7),
        failingMs: () => 0,
        alive: () => true,
        end: () => void (one.ended = true),
        async stop(deadlineMs) {
          if (Math.min(deadlineMs, state.handlerMs) > 0) await clock.sleep(Math.min(deadlineMs, state.handlerMs));
          one.stopped = true;
        },
      };
      made.push(one);
      return one;
    },
    commits: {
      async flush() {
        flushes += 1;
        if (state.flushError) throw state.flushError;
      },
      drop: (partitions) => void dropped.push([...partitions]),
    },
  });
  const at = (): number[] => made.filter(({ stopped }) => !stopped).map(({ partition }) => partition);
  const said = (level: string): number => lines.filter((line) => line['level'] === level).length;
  return { clock, state, made, dropped, undone, losses, work, at, said, flushes: () => flushes };
};

const never = new AbortController().signal;

test('partitions are taken up where the group stands, and let go with what is done stored', async (t) => {
  const { work, made, at, dropped, flushes } = harness();
  await work.start([0, 1], never);
  t.deepEqual(work.owned(), [0, 1]);
  t.deepEqual(
    made.map(({ offset }) => offset),
    [5n, 5n],
  );
  await work.stop([0], 100);
  t.deepEqual([work.owned(), at()], [[1], [1]]);
  t.is(flushes(), 1);
  t.deepEqual(dropped, [[0]]);
  t.true(made[0]?.ended);
});

test('taking up goes on until it works, with one line about it, and ends when it is aborted', async (t) => {
  const { work, clock, state, said, at } = harness();
  state.error = new Error('away');
  void work.start([0], never);
  await clock.advance(10_000);
  t.is(said('warn'), 1);
  t.is(work.failure(), 'away');
  state.error = null;
  await clock.advance(300);
  t.deepEqual([at(), work.failure(), said('info')], [[0], null, 1]);
  state.error = new Error('away');
  const stop = new AbortController();
  const starting = work.start([1], stop.signal);
  stop.abort();
  await clock.advance(300);
  await starting;
  t.deepEqual(work.owned(), [0]);
  t.is(clock.pending(), 0);
});

test('a start that is aborted while it asks takes nothing up', async (t) => {
  const { work, clock, state } = harness();
  state.startMs = 100;
  const stop = new AbortController();
  const starting = work.start([0], stop.signal);
  await clock.advance(50);
  stop.abort();
  await clock.advance(100);
  await starting;
  t.deepEqual(work.owned(), []);
});

test('a slow stop that a quick one overtook takes nothing from the partition that came back meanwhile', async (t) => {
  const { work, clock, state, at, dropped } = harness();
  await work.start([0], never);
  state.handlerMs = 8_000;
  const slow = work.stop([0], 10_000);
  await clock.advance(1_000);
  await work.stop([0], 0);
  t.deepEqual(work.owned(), []);
  await work.start([0], never);
  await clock.advance(10_000);
  await slow;
  t.deepEqual([work.owned(), at()], [[0], [0]]);
  t.deepEqual(dropped.flat(), [0]);
  await work.stop([0], 0);
  t.deepEqual(at(), []);
});

test('a partition that cannot be read on is taken up anew, and stays its own meanwhile', async (t) => {
  const { work, clock, made, at } = harness();
  await work.start([0], never);
  made[0]?.broken(new Error('out of range'));
  made[0]?.broken(new Error('again'));
  t.deepEqual(work.owned(), [0]);
  await clock.advance(1_000);
  t.deepEqual([at(), made.length, made[0]?.ended], [[0], 2, true]);
  made[0]?.broken(new Error('late'));
  await clock.advance(1_000);
  t.is(made.length, 2);
});

test('a partition that is revoked while it is being reassigned is released by its handlers first, and its commits go with it', async (t) => {
  const { work, clock, state, made, dropped, flushes } = harness(12_000);
  await work.start([0], never);
  state.handlerMs = 8_000;
  made[0]?.broken(new Error('out of range'));
  await clock.advance(1_000);
  let isRevoked = false;
  const stopping = work.stop([0], 10_000).then(() => (isRevoked = true));
  await clock.advance(2_000);
  t.deepEqual([isRevoked, work.owned()], [false, [0]]);
  await clock.advance(20_000);
  await stopping;
  t.deepEqual([work.owned(), made.length, flushes(), dropped], [[], 1, 1, [[0]]]);
});

test('records that a start skips are reported once, however often it is tried', async (t) => {
  const { work, clock, state, losses } = harness();
  state.error = new Error('refused');
  void work.start([0], never);
  await clock.advance(5_000);
  t.deepEqual(losses, []);
  state.error = null;
  await clock.advance(1_000);
  t.deepEqual(losses, [{ partition: 0, reason: 'retention', from: 1n, to: 5n }]);
});

test('a partition that breaks while it is handed over is not taken up again', async (t) => {
  const { work, clock, state, made, at } = harness();
  await work.start([0], never);
  state.handlerMs = 3_000;
  const stopping = work.stop([0], 10_000);
  await clock.advance(1_000);
  made[0]?.broken(new Error('out of range'));
  t.false(made[0]?.stopped);
  await clock.advance(5_000);
  await stopping;
  t.deepEqual([work.owned(), at(), made.length], [[], [], 1]);
});

test('a partition that is let go while it is taken up anew stays let go, also when it comes back and breaks again', async (t) => {
  const { work, clock, made, at } = harness();
  await work.start([0], never);
  made[0]?.broken(new Error('one'));
  await clock.advance(10);
  await work.stop([0], 100);
  await work.start([0], never);
  made[1]?.broken(new Error('two'));
  await clock.advance(2_000);
  t.deepEqual([work.owned(), at(), made.length], [[0], [0], 3]);
});

test('offsets that cannot be stored at the end are told of, and the partition is let go', async (t) => {
  const { work, state, said } = harness();
  await work.start([0], never);
  state.flushError = new Error('away');
  await work.stop([0], 100);
  t.deepEqual(work.owned(), []);
  t.is(said('warn'), 1);
});

test('a partition whose topic was created again starts anew with the number of records that the deleted one leaves', async (t) => {
  const { work, clock, made, undone, state } = harness();
  await work.start([0, 1], never);
  state.error = new Error('missing');
  made[0]?.broken(new TopicRecreated('topic'));
  await clock.advance(1_000);
  state.error = null;
  await clock.advance(1_000);
  made[1]?.broken(new Error('out of range'));
  await clock.advance(1_000);
  t.is(made.length, 4);
  t.deepEqual(new Set(undone.map((each) => JSON.stringify([...each]))), new Set(['[]', '[[0,7]]']));
  t.deepEqual(undone.at(-1), new Map());
});
