import test from 'ava';
import type { RelayError } from '@ranger-relay/errors';
import { silentLogger } from '@ranger-relay/runtime/testing';
import { KafkaServer } from './test/server.ts';
import { openTopicKeeper, type WantedTopic } from './topics.ts';

const wanted: readonly WantedTopic[] = [
  { name: 'a', partitions: 2, retentionMs: 1_000, maxRecordBytes: 5_000 },
  { name: 'b', partitions: 1, retentionMs: 2_000, maxRecordBytes: 5_000 },
];
const well = { 'retention.ms': '5000', 'max.message.bytes': '100000', 'cleanup.policy': 'delete' };

type T = Parameters<typeof KafkaServer.start>[0] & { timeout(ms: number): void };

const world = async (t: T) => {
  t.timeout(20_000);
  const server = await KafkaServer.start(t);
  const keeper = openTopicKeeper(server.settings({ prefix: 'site.' }), wanted, silentLogger());
  t.teardown(() => void keeper.close());
  return { server, keeper };
};

test('missing topics are created with what the catalogue wants, those that are there are left alone', async (t) => {
  const { server, keeper } = await world(t);
  server.topics.set('site.a', { leaders: [1, 1] });
  t.deepEqual(await keeper.create(), ['site.b']);
  t.deepEqual(server.created, [
    {
      name: 'site.b',
      partitions: 1,
      configs: {
        'cleanup.policy': 'delete',
        'compression.type': 'uncompressed',
        'retention.ms': '2000',
        'max.message.bytes': '70536',
      },
    },
  ]);
});

test('with none there all are created, with all there none', async (t) => {
  const { server, keeper } = await world(t);
  t.deepEqual(await keeper.create(3), ['site.a', 'site.b']);
  for (const { name } of wanted) server.topics.set(`site.${name}`, { leaders: [1, 1] });
  t.deepEqual(await keeper.create(), []);
});

test('what differs from the catalogue is said, topic by topic', async (t) => {
  const { server, keeper } = await world(t);
  server.topics.set('site.a', { leaders: [1] });
  server.configs.set('site.a', { 'retention.ms': '10', 'max.message.bytes': '10', 'cleanup.policy': 'compact' });
  const [a, b] = await keeper.check();
  t.like(a, { name: 'site.a', partitions: 1 });
  t.is(a?.problems.length, 4);
  t.deepEqual(b, { name: 'site.b', partitions: null, problems: ['does not exist'] });
});

test('topics that are as wanted, or keep for ever, are well', async (t) => {
  const { server, keeper } = await world(t);
  server.topics.set('site.a', { leaders: [1, 1, 1] }).set('site.b', { leaders: [1] });
  server.configs.set('site.a', well).set('site.b', { ...well, 'retention.ms': '-1' });
  t.deepEqual(
    (await keeper.check()).flatMap(({ problems }) => problems),
    [],
  );
});

test('brokers that are away are an error that can be tried again', async (t) => {
  const { server, keeper } = await world(t);
  server.stop();
  t.is((await t.throwsAsync<RelayError>(keeper.check()))?.code, 'bus_unavailable');
  t.is((await t.throwsAsync<RelayError>(keeper.create()))?.code, 'bus_unavailable');
});
