import { openKafkaBus, openTopicAdmin, type KafkaBus, type KafkaSettings } from '@ranger-relay/bus/kafka';
import { setTopicSettings } from '@ranger-relay/bus/testing';
import { systemClock } from '@ranger-relay/runtime';
import { recordingLogger, testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { startKafka, type KafkaCluster } from './harness/kafka/index.ts';
import { until } from './harness/until.ts';

const topics = ['kept', 'overtaken'].map((name) => ({
  name,
  partitions: 1,
  retentionMs: 86_400_000,
  maxRecordBytes: 1_048_576,
}));

let kafka: KafkaCluster;

test.before(async () => {
  kafka = await startKafka({
    lines: [
      // The shortest that a broker takes: a minute for what is ten days and more elsewhere.
      'offsets.retention.minutes=1',
      'offsets.retention.check.interval.ms=1000',
      'log.retention.check.interval.ms=1000',
      'log.segment.delete.delay.ms=0',
    ],
  });
});
test.after.always(() => kafka?.remove());

const settings = (): KafkaSettings => ({
  brokers: kafka.addresses.split(','),
  clientId: 'offsets',
  prefix: 'o.',
  sessionTimeoutMs: 6_000,
});

const open = async (t: ExecutionContext) => {
  const { log, lines } = recordingLogger();
  const { random, metrics } = testContext();
  const admin = openTopicAdmin(settings(), topics, { log, clock: systemClock });
  await admin.create();
  await admin.close();
  const bus = openKafkaBus({ settings: settings(), topics, clock: systemClock, random, log, metrics });
  t.teardown(() => bus.close());
  await until('the bus has its topics', () => bus.ready() && bus.topicProblems().length === 0);
  return { bus, metrics, lines };
};

/** Consumes until so many records were handled, and closes. */
const consume = async (bus: KafkaBus, topic: string, count: number): Promise<readonly string[]> => {
  const values: string[] = [];
  const subscription = await bus.consume({
    topic,
    group: topic,
    handle: async ({ records }) => {
      values.push(...records.map(({ value }) => Buffer.from(value).toString()));
      return records.map(() => ({ kind: 'done' }));
    },
  });
  await until(`${topic}: ${count} records`, () => values.length >= count);
  await subscription.close();
  return values;
};

test.serial('a group that nobody was in for longer than the brokers keep offsets goes on where it stood', async (t) => {
  const { bus } = await open(t);
  await bus.publish('kept', [{ key: 'k', value: 'before' }]);
  t.deepEqual(await consume(bus, 'kept', 1), ['before']);
  await systemClock.sleep(75_000);
  await bus.publish('kept', [{ key: 'k', value: 'after' }]);
  t.deepEqual(await consume(bus, 'kept', 1), ['after']);
});

test.serial(
  'a group that retention has overtaken goes on, and each record that is gone is counted and told',
  async (t) => {
    const { bus, metrics, lines } = await open(t);
    await bus.publish('overtaken', [{ key: 'k', value: 'done' }]);
    await consume(bus, 'overtaken', 1);
    await bus.publish('overtaken', [
      { key: 'k', value: 'gone 1' },
      { key: 'k', value: 'gone 2' },
    ]);
    await setTopicSettings(settings(), { overtaken: { 'retention.ms': '1', 'segment.ms': '1' } }, testContext().log);
    await until('retention has deleted the records', async () => {
      for await (const _ of bus.read({ topic: 'overtaken' })) return false;
      return true;
    });
    await setTopicSettings(settings(), { overtaken: { 'retention.ms': '86400000' } }, testContext().log);
    await bus.publish('overtaken', [{ key: 'k', value: 'there' }]);
    t.deepEqual(await consume(bus, 'overtaken', 1), ['there']);
    t.regex(await metrics.render(), /relay_bus_lost_records_total\{topic="overtaken",reason="retention"\} 2/);
    t.like(
      lines.filter(({ level }) => level === 'error'),
      [{ topic: 'overtaken', group: 'overtaken', partition: 0, from: '1', to: '3', records: 2 }],
    );
  },
);
