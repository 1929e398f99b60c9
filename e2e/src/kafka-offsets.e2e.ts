import type { BusRecord } from '@ranger-relay/bus';
import type { KafkaBus, KafkaSettings } from '@ranger-relay/bus/kafka';
import { deleteTopic, setTopicSettings } from '@ranger-relay/bus/testing';
import { systemClock } from '@ranger-relay/runtime';
import { recordingLogger, testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { consume, createTopics, openReadyBus, settingsFor } from './harness/kafka/bus.ts';
import { startKafka, type KafkaCluster } from './harness/kafka/index.ts';
import { until } from './harness/until.ts';

const topics = ['kept', 'overtaken', 'recreated', 'absent', 'unread', 'held', 'emptied'].map((name) => ({
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

const settings = (): KafkaSettings => settingsFor(kafka, 'o.');

const open = async (t: ExecutionContext) => {
  const { log, lines } = recordingLogger();
  const { metrics } = testContext();
  await createTopics(settings(), topics);
  const bus = await openReadyBus(t, { settings: settings(), topics, log, metrics });
  return { bus, metrics, lines };
};

const textOf = ({ value }: Pick<BusRecord, 'value'>): string => Buffer.from(value).toString();

/** Values of so many records that a group consumes. */
const consumed = async (...args: Parameters<typeof consume>): Promise<readonly string[]> =>
  (await consume(...args)).map(textOf);

test.serial('a group that nobody was in for longer than the brokers keep offsets goes on where it stood', async (t) => {
  const { bus } = await open(t);
  await bus.publish('kept', [{ key: 'k', value: 'before' }]);
  t.deepEqual(await consumed(bus, 'kept', 1), ['before']);
  await systemClock.sleep(75_000);
  await bus.publish('kept', [{ key: 'k', value: 'after' }]);
  t.deepEqual(await consumed(bus, 'kept', 1), ['after']);
});

test.serial(
  'a group that retention has overtaken goes on, and each record that is gone is counted and told',
  async (t) => {
    const { bus, metrics, lines } = await open(t);
    await bus.publish('overtaken', [{ key: 'k', value: 'done' }]);
    await consumed(bus, 'overtaken', 1);
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
    t.deepEqual(await consumed(bus, 'overtaken', 1), ['there']);
    t.regex(await metrics.render(), /relay_bus_lost_records_total\{topic="overtaken",reason="retention"\} 2/);
    const errors = lines.filter(({ level }) => level === 'error');
    t.like(errors, [{ topic: 'overtaken', group: 'overtaken', partition: 0, from: '1', to: '3', records: 2 }]);
  },
);

/** How many records wait for a group that is named like its topic. */
const waitingFor = async (bus: KafkaBus, topic: string): Promise<number> =>
  (await bus.pending(topic, topic)).reduce((sum, { count }) => sum + count, 0);

const numbered = (word: string, count: number): { key: string; value: string }[] =>
  Array.from({ length: count }, (_, n) => ({ key: `k${n}`, value: `${word} ${n}` }));

/** Deletes a topic, and creates it again after a while with as many new records. */
const recreate = async (bus: KafkaBus, topic: string, { afterMs, count }: { afterMs: number; count: number }) => {
  await deleteTopic(settings(), topic, testContext().log);
  await systemClock.sleep(afterMs);
  await until(`${topic} takes records again`, async () => {
    await createTopics(settings(), topics);
    await bus.publish(topic, [{ key: 'k0', value: 'new 0' }]);
    return true;
  });
  await bus.publish(topic, numbered('new', count).slice(1));
};

for (const [topic, afterMs] of [
  ['recreated', 0],
  ['absent', 12_000],
] as const)
  test.serial(
    `a running group reads a topic that was deleted and created again after ${afterMs} ms from its start, and exactly the undone records of the deleted one are counted`,
    async (t) => {
      const { bus, metrics } = await open(t);
      await bus.publish(topic, numbered('old', 20));
      const values: string[] = [];
      const subscription = await bus.consume({
        topic,
        group: topic,
        lane: ({ key }) => key,
        async handle({ records }) {
          const [value = ''] = records.map(textOf);
          if (/^old 1[3-9]$/.test(value)) return [{ kind: 'retry', afterMs: 600_000 }];
          values.push(value);
          return [{ kind: 'done' }];
        },
      });
      t.teardown(() => subscription.close());
      await until('13 records are done', () => values.length === 13);
      await systemClock.sleep(1_000);
      await recreate(bus, topic, { afterMs, count: 40 });
      await until('the new records are done', () => values.length >= 53, 60_000);
      const wanted = numbered('new', 40).map(({ value }) => value);
      t.deepEqual(values.slice(13).toSorted(), wanted.toSorted());
      const lost = `relay_bus_lost_records_total\\{topic="${topic}",reason="recreated"\\} 7$`;
      t.regex(await metrics.render(), new RegExp(lost, 'm'));
      await until('the topic is usable', () => bus.ready() && bus.topicProblems().length === 0);
    },
  );

test.serial(
  'a group that was away while its topic was deleted and created again skips nothing of the new one, of which all waits until then',
  async (t) => {
    const { bus } = await open(t);
    await bus.publish('unread', numbered('old', 20));
    await consumed(bus, 'unread', 20);
    await recreate(bus, 'unread', { afterMs: 0, count: 40 });
    let waiting = -1;
    // A broker that has not heard of the new topic yet answers with the id of the deleted one: nothing is counted of it.
    const isCounted = async (): Promise<boolean> => (waiting = await waitingFor(bus, 'unread')) >= 0;
    await until('the records that wait are counted', isCounted);
    t.is(waiting, 40, 'and it is said that all of it waits');
    const wanted = numbered('new', 40).map(({ value }) => value);
    t.deepEqual(await consumed(bus, 'unread', 40), wanted);
  },
);

test.serial(
  'a topic that is created again while nothing can be done is done to its end afterwards, and nothing is pending',
  async (t) => {
    const { bus } = await open(t);
    await bus.publish('held', numbered('old', 6));
    const done: string[] = [];
    let isDown = true;
    const subscription = await bus.consume({
      topic: 'held',
      group: 'held',
      lane: ({ key }) => key,
      async handle({ records }) {
        if (isDown) return records.map(() => ({ kind: 'retry', afterMs: 1_000 }));
        done.push(...records.map(textOf));
        return records.map(() => ({ kind: 'done' }));
      },
    });
    t.teardown(() => subscription.close());
    await systemClock.sleep(2_000);
    await recreate(bus, 'held', { afterMs: 3_000, count: 2 });
    await systemClock.sleep(5_000);
    isDown = false;
    await until('the new records are done', () => done.includes('new 0') && done.includes('new 1'));
    await until('nothing is pending', async () => (await bus.pending('held', 'held')).length === 0);
    t.is(await subscription.lag(), 0);
    t.is(subscription.oldestPending(), null);
  },
);

test.serial(
  'of a topic that was created again, nothing of the deleted one is said to wait, and a reader goes on with what is new',
  async (t) => {
    const { bus } = await open(t);
    await bus.publish('emptied', numbered('old', 12));
    const subscription = await bus.consume({
      topic: 'emptied',
      group: 'emptied',
      handle: async ({ records }) => records.map(() => ({ kind: 'retry', afterMs: 600_000 })),
    });
    t.teardown(() => subscription.close());
    const waiting = (): Promise<number> => waitingFor(bus, 'emptied');
    t.is(await waiting(), 12);
    await deleteTopic(settings(), 'emptied', testContext().log);
    await systemClock.sleep(3_000);
    await createTopics(settings(), topics);
    await until('nothing waits', async () => (await waiting()) === 0);
    await bus.publish('emptied', numbered('new', 1));
    const read: string[] = [];
    for await (const record of bus.read({ topic: 'emptied', offsets: new Map([[0, 12n]]) })) read.push(textOf(record));
    t.deepEqual(read, ['new 0']);
  },
);
