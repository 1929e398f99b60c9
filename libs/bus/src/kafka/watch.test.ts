import { setTimeout as pass } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { manualClock, recordingLogger, silentLogger } from '@ranger-relay/runtime/testing';
import { createCluster } from './client/cluster.ts';
import { KafkaServer, type ServedTopic } from './test/server.ts';
import { startWatch, topicStates } from './watch.ts';

const describe = 1 << 8;
const read = 1 << 3;

const harness = async (t: ExecutionContext, topics: Readonly<Record<string, ServedTopic>>) => {
  t.timeout(30_000);
  const server = await KafkaServer.start(t);
  for (const [name, topic] of Object.entries(topics)) server.topics.set(name, topic);
  const cluster = createCluster({ settings: server.settings(), log: silentLogger() });
  t.teardown(() => cluster.disconnect());
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const wanted = [
    { name: 'a', operations: ['Write'] as const, maxRecordBytes: 1_000 },
    { name: 'b', operations: ['Read'] as const, maxRecordBytes: 1_000 },
  ];
  const refreshed = { times: 0 };
  const other = { refreshWhenOld: async () => void (refreshed.times += 1) };
  const watch = startWatch(cluster, [other], wanted, clock, log);
  t.teardown(() => watch.stop());
  /** Lets both clocks go on until something is so. */
  const until = async (so: () => boolean): Promise<void> => {
    for (let n = 0; n < 1_000 && !so(); n += 1) {
      await clock.advance(100);
      await pass(10);
    }
    t.true(so());
  };
  const said = () => lines.map(({ level, topic }) => [level, topic].filter(Boolean).join(' '));
  return { server, cluster, clock, watch, until, said, refreshed };
};

test('every topic has a state of its own, whichever others are missing', async (t) => {
  for (const has of [[], ['a'], ['b'], ['a', 'b', 'c']]) {
    const { cluster } = await harness(t, Object.fromEntries(has.map((name) => [name, { leaders: [1] }])));
    const codes = ['a', 'b', 'c'].map((topic) => [topic, has.includes(topic) ? 0 : 3]);
    for (let n = 0; n < 2; n += 1) {
      const states = await topicStates(cluster, ['a', 'b', 'c']);
      t.deepEqual(
        states.map(({ topic, code }) => [topic, code]),
        codes,
      );
    }
  }
});

test('the other clients learn of new partitions although none of their requests fails', async (t) => {
  const { until, refreshed } = await harness(t, { a: { leaders: [1] } });
  await until(() => refreshed.times >= 2);
});

test('a missing topic is a problem of that topic alone, until it is seen to be there', async (t) => {
  const { server, watch, until, said } = await harness(t, { a: { leaders: [1] } });
  t.regex(watch.problem() ?? '', /not answered yet/);
  await until(() => watch.problem() === null);
  t.deepEqual([...watch.topics().keys()], ['b']);
  t.regex(watch.topics().get('b') ?? '', /^b is missing; create it.*ranger-relay topics apply/);
  server.topics.set('b', { leaders: [1] });
  await until(() => watch.topics().size === 0);
  server.topics.delete('a');
  await until(() => watch.topics().has('a'));
  t.is(watch.problem(), null);
  t.deepEqual(said(), ['error b', 'info', 'info b', 'error a']);
});

test('a topic that may not be looked at, read or written is a problem that names the right, in one line', async (t) => {
  const { server, watch, until, said } = await harness(t, {
    a: { leaders: [1], operations: describe | read },
    b: { code: 29, leaders: [] },
  });
  await until(() => watch.problem() === null);
  t.regex(watch.topics().get('a') ?? '', /may not write to a; grant it Write/);
  t.regex(watch.topics().get('b') ?? '', /^b: Not authorized/);
  const { asked } = server;
  await until(() => server.asked > asked + 5);
  t.deepEqual(said(), ['error a', 'error b', 'info']);
  server.topics.set('b', { leaders: [1], operations: read });
  await until(() => !watch.topics().has('b'));
});

test('a broker that does not tell the rights is believed to grant them', async (t) => {
  const { watch, until } = await harness(t, {
    a: { leaders: [1], operations: -2_147_483_648 },
    b: { leaders: [1], operations: -2_147_483_648 },
  });
  await until(() => watch.problem() === null);
  t.deepEqual([...watch.topics()], []);
});

test('an outage is one line at its start and one at its end, and hides no problem of a topic', async (t) => {
  const { server, watch, until, said } = await harness(t, { a: { leaders: [1] } });
  await until(() => watch.problem() === null);
  server.mute.add(3);
  server.cut();
  await until(() => watch.problem() !== null);
  t.true(watch.topics().has('b'));
  server.mute.clear();
  server.cut();
  await until(() => watch.problem() === null);
  t.deepEqual(said(), ['error b', 'info', 'error', 'info']);
});

test('once stopped it has a problem, asks nobody and leaves no timer', async (t) => {
  const { server, clock, watch, until } = await harness(t, { a: { leaders: [1] }, b: { leaders: [1] } });
  await until(() => watch.problem() === null && clock.pending() === 1);
  watch.stop();
  const { asked } = server;
  await clock.advance(60_000);
  t.is(watch.problem(), 'it is closed');
  t.is(server.asked, asked);
  t.is(clock.pending(), 0);
});

test('a topic that takes less than may be written to it is known until it is seen to take enough; a refused look tells nothing', async (t) => {
  const { server, watch, until, clock } = await harness(t, { a: { leaders: [1] }, b: { leaders: [1] } });
  for (const name of ['a', 'b']) server.configs.set(name, { 'max.message.bytes': '999' });
  await until(() => watch.lowLimits().size > 0);
  t.deepEqual([...watch.lowLimits().values()], [{ topic: 'a', takes: 999, allowed: 1_000 }]);
  server.configs.set('a', { 'max.message.bytes': '1000' });
  server.describeCode = 29;
  const asked = server.described;
  await clock.advance(30_000);
  await until(() => server.described > asked);
  t.is(watch.lowLimits().size, 1);
  server.describeCode = 0;
  await clock.advance(30_000);
  await until(() => watch.lowLimits().size === 0);
});
