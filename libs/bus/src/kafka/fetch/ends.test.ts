import test from 'ava';
import type { RelayError } from '@ranger-relay/errors';
import { manualClock } from '@ranger-relay/runtime/testing';
import type { Cluster } from '../client/cluster.ts';
import { createEnds } from './ends.ts';

const retriable = Object.assign(new Error('moving'), { retriable: true });

/** Brokers that answer as scripted, the last answer again and again. */
const world = (...answers: (Error | Record<number, string>)[]) => {
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
  const layout = { partitions: async () => 2, refresh: async () => void (state.refreshes += 1) };
  const ends = createEnds(cluster as unknown as Cluster, layout as never, clock);
  return { clock, state, ends };
};

test('leaders that move are looked for again', async (t) => {
  const { clock, state, ends } = world(retriable, retriable, { 0: '5', 1: '9007199254740993' });
  const found = ends.latest('topic', [0, 1]);
  await clock.advance(300);
  t.deepEqual(Object.fromEntries(await found), { 0: 5n, 1: 9_007_199_254_740_993n });
  t.is(state.refreshes, 2);
});

test('a partition that was left out does not pass for an empty one', async (t) => {
  const { clock, ends } = world({ 0: '5' }, { 0: '5', 1: '7' });
  const found = ends.earliest('topic', [0, 1]);
  await clock.advance(200);
  t.deepEqual(Object.fromEntries(await found), { 0: 5n, 1: 7n });
});

test('what trying again cannot help fails at once, and what does not end fails in the end', async (t) => {
  const refused = world(new Error('no'));
  t.is((await t.throwsAsync<RelayError>(refused.ends.latest('topic', [0])))?.code, 'bus_unavailable');
  t.is(refused.state.asked, 1);
  const moving = world(retriable);
  const error = t.throwsAsync<RelayError>(moving.ends.latest('topic', [0]));
  await moving.clock.advance(10_000);
  t.is((await error)?.code, 'bus_unavailable');
  t.is(moving.clock.pending(), 0);
});

test('nothing asked, nothing found', async (t) => {
  const { state, ends } = world({});
  t.is((await ends.latest('topic', [])).size, 0);
  t.is(state.asked, 0);
});
