import { setTimeout as pass } from 'node:timers/promises';
import test from 'ava';
import type { RelayError } from '@ranger-relay/errors';
import { manualClock, recordingLogger, testContext } from '@ranger-relay/runtime/testing';
import type { Bus } from '../port.ts';
import { openKafkaBus } from './open.ts';
import { KafkaServer } from './test/server.ts';

type T = Parameters<typeof KafkaServer.start>[0] & { timeout(ms: number): void };

const metadata = 3;

const harness = async (t: T) => {
  t.timeout(30_000);
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown): void => void rejections.push(reason);
  process.on('unhandledRejection', onRejection);
  t.teardown(() => process.off('unhandledRejection', onRejection));
  const server = await KafkaServer.start(t);
  server.topics.set('topic', { leaders: [1] });
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const { random, metrics } = testContext();
  const topics = [{ name: 'topic', maxRecordBytes: 1_000 }];
  const bus = openKafkaBus({ settings: server.settings(), topics, clock, random, log, metrics });
  t.teardown(() => bus.close());
  /** Lets both clocks go on until something is so. */
  const until = async (so: () => boolean): Promise<void> => {
    for (let n = 0; n < 1_500 && !so(); n += 1) {
      await clock.advance(100);
      await pass(5);
    }
  };
  const said = (level: string): number => lines.filter((line) => line['level'] === level).length;
  return { server, clock, bus, until, said, rejections };
};

const consuming = { topic: 'topic', group: 'group', handle: async () => [] };

const problemOf = (bus: Pick<Bus, 'topicProblems'>): string =>
  bus.topicProblems().find(({ topic }) => topic === 'topic')?.problem ?? '';

test.serial('it is ready when the brokers answer, and names a topic that is missing', async (t) => {
  const { server, bus, until } = await harness(t);
  t.false(bus.ready());
  await until(bus.ready);
  t.true(bus.ready());
  t.is(bus.problem(), null);
  t.deepEqual(bus.topicProblems(), []);
  server.topics.delete('topic');
  await until(() => bus.topicProblems().length > 0);
  t.regex(problemOf(bus), /^topic is missing/);
  t.true(bus.ready());
});

test.serial(
  'a group that this process may not join shows as a problem of its topic and in one line, and the process goes on',
  async (t) => {
    const { server, bus, until, said, rejections } = await harness(t);
    server.groupCode = 30;
    let joined = false;
    void bus.consume(consuming).then(() => (joined = true));
    await until(() => problemOf(bus) !== '');
    t.regex(problemOf(bus), /Not authorized to access group/);
    const before = said('warn') + said('error');
    await until(() => joined);
    t.true(joined, 'consuming returns and goes on trying');
    t.is(said('warn') + said('error'), before);
    t.deepEqual(rejections, []);
  },
);

test.serial('closing ends a consumer that is still joining, and refuses what comes after', async (t) => {
  const { server, bus, until, rejections } = await harness(t);
  server.groupCode = 30;
  const consumer = bus.consume(consuming);
  await until(() => problemOf(bus).includes('authorized'));
  let closed = false;
  void bus.close().then(() => (closed = true));
  await until(() => closed);
  t.true(closed);
  const subscription = await consumer;
  t.deepEqual([bus.ready(), subscription.ready(), subscription.assigned()], [false, false, []]);
  t.is((await t.throwsAsync<RelayError>(bus.consume(consuming)))?.code, 'bus_unavailable');
  t.is((await t.throwsAsync<RelayError>(bus.publish('topic', [{ key: 'k', value: 'v' }])))?.code, 'bus_unavailable');
  await until(() => server.open === 0);
  t.is(server.open, 0);
  t.deepEqual(rejections, []);
});

test.serial('closing ends soon with brokers that answer nothing, and leaves nothing open or running', async (t) => {
  const { server, bus, clock, until, rejections } = await harness(t);
  await until(bus.ready);
  server.mute.add(metadata);
  const late = bus
    .publish('topic', [{ key: 'k', value: 'v' }], { deadlineMs: 60_000 })
    .catch((error: unknown) => error);
  const reading = (async () => {
    for await (const record of bus.read({ topic: 'topic', follow: true })) void record;
  })().catch((error: unknown) => error);
  await until(() => server.open > 1);
  const started = performance.now();
  let closed = false;
  void bus.close().then(() => (closed = true));
  await until(() => closed);
  t.true(performance.now() - started < 5_000);
  t.is(((await late) as RelayError).code, 'bus_unavailable');
  await reading;
  await until(() => server.open === 0 && clock.pending() === 0);
  t.deepEqual([server.open, clock.pending()], [0, 0]);
  const { connections } = server;
  await clock.advance(60_000);
  await pass(200);
  t.is(server.connections, connections);
  t.deepEqual(rejections, []);
});
