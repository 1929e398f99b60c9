import test from 'ava';
import { manualClock, recordingLogger } from '@ranger-relay/runtime/testing';
import type { Cluster } from './client/cluster.ts';
import { missingTopics, startWatch } from './watch.ts';

const protocolError = (type: string): Error => Object.assign(new Error(`it is ${type}`), { type });

/** A client whose brokers have some topics, or fail with what is set. */
const fakeCluster = (has: Set<string>) => {
  const state = { error: null as Error | null, asked: 0 };
  const cluster = {
    targetTopics: new Set<string>(),
    connect: async () => undefined,
    addMultipleTargetTopics: async (topics: readonly string[]) => {
      const before = cluster.targetTopics;
      cluster.targetTopics = new Set([...before, ...topics]);
      await cluster.refreshMetadata().catch((error: unknown) => {
        cluster.targetTopics = before;
        throw error;
      });
    },
    addTargetTopic: (topic: string) => cluster.addMultipleTargetTopics([topic]),
    refreshMetadata: async () => {
      state.asked += 1;
      if (state.error) throw state.error;
      if ([...cluster.targetTopics].some((topic) => !has.has(topic))) throw protocolError('UNKNOWN_TOPIC_OR_PARTITION');
    },
  };
  return { state, cluster: cluster as unknown as Cluster };
};

const harness = (...has: string[]) => {
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const topics = new Set(has);
  const { state, cluster } = fakeCluster(topics);
  const watch = startWatch(cluster, ['a', 'b'], clock, log);
  const said = (): unknown[] => lines.map(({ level }) => level);
  return { clock, topics, state, watch, said };
};

test('the missing topics are found among others, whichever they are', async (t) => {
  for (const has of [[], ['a'], ['b'], ['a', 'b', 'c']]) {
    const { cluster } = fakeCluster(new Set(has));
    const missing = ['a', 'b', 'c'].filter((topic) => !has.includes(topic));
    t.deepEqual(await missingTopics(cluster, ['a', 'b', 'c']), missing);
    t.deepEqual(await missingTopics(cluster, ['a', 'b', 'c']), missing);
  }
});

test('it is ready when the brokers have every topic, and says which are missing', async (t) => {
  const { clock, topics, watch } = harness('a');
  t.regex(watch.problem() ?? '', /not answered yet/);
  await clock.advance(0);
  t.false(watch.ready());
  t.regex(watch.problem() ?? '', /missing: b;/);
  topics.add('b');
  await clock.advance(2_000);
  t.true(watch.ready());
  t.is(watch.problem(), null);
  topics.delete('a');
  await clock.advance(2_000);
  t.regex(watch.problem() ?? '', /missing: a;/);
});

test('an outage is one line at its start and one at its end, in whatever words it comes', async (t) => {
  const { clock, state, watch, said } = harness('a', 'b');
  await clock.advance(0);
  for (let i = 0; i < 30; i += 1) {
    state.error = new Error(`connect ECONNREFUSED 10.0.0.${i % 3}`);
    await clock.advance(2_000);
    t.is(watch.problem(), state.error.message);
  }
  state.error = null;
  await clock.advance(2_000);
  t.deepEqual(said(), ['info', 'error', 'info']);
});

test('topics that may not be looked at are a problem that shows, in one line', async (t) => {
  const { clock, state, watch, said } = harness('a', 'b');
  state.error = protocolError('TOPIC_AUTHORIZATION_FAILED');
  await clock.advance(30_000);
  t.regex(watch.problem() ?? '', /TOPIC_AUTHORIZATION_FAILED/);
  t.false(watch.ready());
  t.deepEqual(said(), ['error']);
});

test('once stopped it is not ready, asks nobody and leaves no timer', async (t) => {
  const { clock, state, watch } = harness('a', 'b');
  await clock.advance(0);
  watch.stop();
  const { asked } = state;
  await clock.advance(60_000);
  t.false(watch.ready());
  t.is(state.asked, asked);
  t.is(clock.pending(), 0);
});
