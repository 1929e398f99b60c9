import { memoryBus } from '@ranger-relay/bus/testing';
import { sourceEventSchema, topics } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { watchBusWrites, watchTopics } from './bus-conditions.ts';

const topic = topics.emergencies.name;
const records = (key: string) => [{ key, value: '{}' }];

const setUp = (t: ExecutionContext, options = {}) => {
  const clock = manualClock();
  const context = testContext({ clock });
  t.teardown(() => context.lifecycle.stop());
  const memory = memoryBus(clock);
  /** Keys whose records cannot be written; `all` for every key. */
  const broken: { keys: 'all' | readonly string[] } = { keys: [] };
  memory.before = ({ records: given }) => {
    const hit = broken.keys === 'all' || given.some(({ key }) => broken.keys.includes(key));
    if (hit) throw new RelayError('store_full', { details: { path: '/data' } });
  };
  const bus = watchBusWrites(context, memory, options);
  const names = (): readonly string[] => context.conditions.active().map(({ name, subject }) => `${name} ${subject}`);
  return { clock, memory, broken, bus, names };
};

test('a failed write is a condition, and the topic cannot be written, until a write succeeds: without traffic by a probe', async (t) => {
  const { clock, memory, broken, bus, names } = setUp(t);
  broken.keys = 'all';
  await t.throwsAsync(bus.publish(topic, records('park:1')), { code: 'store_full' });
  t.deepEqual(names(), ['bus_write_failing emergencies']);
  await clock.advance(70_000);
  t.deepEqual(names(), ['bus_write_failing emergencies']);
  t.false(bus.canWrite(topic));
  broken.keys = [];
  await clock.advance(10_000);
  t.deepEqual(names(), []);
  t.true(bus.canWrite(topic));
  const written = memory.records(topic).length;
  await clock.advance(60_000);
  t.is(memory.records(topic).length, written, 'the probe ends with the condition');
});

test('what the probe writes is an event with nothing to send', async (t) => {
  const { clock, memory, broken, bus } = setUp(t);
  broken.keys = 'all';
  await t.throwsAsync(bus.publish(topic, records('park:1')));
  broken.keys = [];
  await clock.advance(10_000);
  for (const { key, value } of memory.records(topic)) {
    const event = sourceEventSchema.parse(JSON.parse(Buffer.from(value).toString()));
    t.like(event, { observation: null, message: null, sos: null });
    t.is(`${event.integration_id}:${event.source}`, key);
  }
});

test('a partition that cannot be written is a condition, but the others go on', async (t) => {
  const { clock, broken, bus, names } = setUp(t);
  broken.keys = ['park:1'];
  await t.throwsAsync(bus.publish(topic, records('park:1')));
  await bus.publish(topic, records('park:2'));
  await clock.advance(70_000);
  t.deepEqual(names(), ['bus_write_failing emergencies']);
  t.true(bus.canWrite(topic));
});

test('another topic that cannot be written is a warning of its own, and is not probed', async (t) => {
  const { clock, memory, broken, bus, names } = setUp(t);
  broken.keys = 'all';
  await t.throwsAsync(bus.publish(topics.integrationEvents.name, records('park')));
  broken.keys = [];
  await clock.advance(60_000);
  t.deepEqual(names(), ['topic_write_failing integration-events']);
  t.is(memory.records(topics.integrationEvents.name).length, 0);
  await bus.publish(topics.integrationEvents.name, records('park'));
  t.deepEqual(names(), []);
});

test('a topic that is not probed is well again after any good write: the key that failed may never come again', async (t) => {
  const { broken, bus, names } = setUp(t);
  broken.keys = 'all';
  await t.throwsAsync(bus.publish(topics.deadLetters.name, records('park:1')));
  broken.keys = [];
  await bus.publish(topics.deadLetters.name, records('park:2'));
  t.deepEqual(names(), []);
});

test('where all topics are one file, what can be written to one ends what is wrong with all, without traffic', async (t) => {
  const { clock, broken, bus, names } = setUp(t, { oneFile: true });
  broken.keys = 'all';
  for (const each of [topic, topics.sosLog.name, topics.deadLetters.name])
    await t.throwsAsync(bus.publish(each, records('park:1')));
  t.is(names().length, 3);
  await clock.advance(6_000);
  t.false(bus.canWrite(topic));
  broken.keys = [];
  await bus.publish(topics.deadLetters.name, records('park:1'));
  t.deepEqual(names(), []);
  t.true(bus.canWrite(topic), 'nothing tries a topic again that has no condition');
});

test('of two partitions that cannot be written, the one that recovers does not end the condition of the other', async (t) => {
  const { clock, broken, bus, names } = setUp(t);
  broken.keys = ['park:1', 'park:2'];
  for (const key of broken.keys) await t.throwsAsync(bus.publish(topic, records(key)));
  broken.keys = ['park:2'];
  await clock.advance(70_000);
  t.deepEqual(names(), ['bus_write_failing emergencies']);
  broken.keys = [];
  await clock.advance(10_000);
  t.deepEqual(names(), []);
});

test('a write that fails for a moment sends nobody away, also when no traffic follows', async (t) => {
  const { clock, broken, bus } = setUp(t);
  broken.keys = 'all';
  await t.throwsAsync(bus.publish(topic, records('park:1')));
  broken.keys = [];
  for (let second = 0; second < 10; second += 1) {
    await clock.advance(1_000);
    t.true(bus.canWrite(topic), `after ${second + 1} s`);
  }
});

test('a record that is too large says nothing of the bus', async (t) => {
  const { memory, bus, names } = setUp(t);
  memory.before = () => {
    throw new RelayError('record_too_large', { details: { topic, bytes: 1, limit: 1 } });
  };
  await t.throwsAsync(bus.publish(topic, records('park:1')));
  t.deepEqual(names(), []);
});

test('a topic that cannot be used is a condition of its own until the brokers show that it can', async (t) => {
  const clock = manualClock();
  const context = testContext({ clock });
  t.teardown(() => context.lifecycle.stop());
  let problems = [{ topic: 'outbound-messages', problem: 'it does not exist' }];
  watchTopics(context, { topicProblems: () => problems, lowLimits: () => [] });
  await clock.advance(70_000);
  t.like(context.conditions.active()[0], { name: 'topic_unavailable', subject: 'outbound-messages' });
  problems = [];
  await clock.advance(5_000);
  t.deepEqual(context.conditions.active(), []);
});
