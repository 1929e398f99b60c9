import test from 'ava';
import type { RelayError } from '@ranger-relay/errors';
import { systemClock } from '@ranger-relay/runtime';
import { silentLogger } from '@ranger-relay/runtime/testing';
import { KafkaServer } from '../test/server.ts';
import type { WantedTopic } from './differences.ts';
import { openTopicAdmin } from './topic-admin.ts';

const wanted: readonly WantedTopic[] = [
  { name: 'a', partitions: 2, retentionMs: 1_000, maxRecordBytes: 5_000, consumers: ['readers'] },
  { name: 'b', partitions: 1, retentionMs: 2_000, maxRecordBytes: 5_000 },
];
const well = { 'retention.ms': '5000', 'max.message.bytes': '100000', 'cleanup.policy': 'delete' };

type T = Parameters<typeof KafkaServer.start>[0] & { timeout(ms: number): void };

const harness = async (t: T) => {
  t.timeout(60_000);
  const server = await KafkaServer.start(t);
  const admin = openTopicAdmin(server.settings({ prefix: 'site.' }), wanted, {
    log: silentLogger(),
    clock: systemClock,
  });
  t.teardown(() => void admin.close());
  return { server, admin };
};

test('missing topics are created with what the catalogue wants, those that are there are left alone', async (t) => {
  const { server, admin } = await harness(t);
  server.topics.set('site.a', { leaders: [1, 1] });
  t.deepEqual(await admin.create(), ['site.b']);
  t.deepEqual(server.created, [
    {
      name: 'site.b',
      partitions: 1,
      configs: {
        'cleanup.policy': 'delete',
        'compression.type': 'uncompressed',
        'retention.ms': '2000',
        'max.message.bytes': '70536',
        'message.timestamp.type': 'LogAppendTime',
      },
    },
  ]);
});

test('with none there all are created, with all there none', async (t) => {
  const { server, admin } = await harness(t);
  t.deepEqual(await admin.create(3), ['site.a', 'site.b']);
  for (const { name, configs } of server.created) t.is(configs['min.insync.replicas'], '2', name);
  for (const { name } of wanted) server.topics.set(`site.${name}`, { leaders: [1, 1] });
  t.deepEqual(await admin.create(), []);
});

test('what differs from the catalogue is said, topic by topic', async (t) => {
  const { server, admin } = await harness(t);
  server.topics.set('site.a', { leaders: [1] });
  server.configs.set('site.a', { 'retention.ms': '10', 'max.message.bytes': '10', 'cleanup.policy': 'compact' });
  const [a, b] = await admin.check();
  t.like(a, { name: 'site.a', partitions: 1 });
  t.is(a?.problems.length, 4);
  t.like(b, { name: 'site.b', partitions: null, replicas: null, problems: ['does not exist'] });
});

test('topics that are as wanted, or keep for ever, are well', async (t) => {
  const { server, admin } = await harness(t);
  server.topics.set('site.a', { leaders: [1, 1, 1] }).set('site.b', { leaders: [1] });
  server.configs.set('site.a', well).set('site.b', { ...well, 'retention.ms': '-1' });
  t.deepEqual(
    (await admin.check()).flatMap(({ problems }) => problems),
    [],
  );
});

const small = { 'retention.ms': '10', 'max.message.bytes': '10', 'cleanup.policy': 'delete' };

test('what keeps too short or takes too little is raised, and no other setting is named', async (t) => {
  const { server, admin } = await harness(t);
  server.topics.set('site.a', { leaders: [1, 1], copies: 3 }).set('site.b', { leaders: [1] });
  server.configs
    .set('site.a', { ...small, 'min.insync.replicas': '1' })
    .set('site.b', { ...well, 'retention.ms': '-1' });
  t.deepEqual(await admin.update({ partitions: false }), [
    {
      name: 'site.a',
      did: ['retention.ms is 1000 now', 'max.message.bytes is 70536 now', 'min.insync.replicas is 2 now'],
    },
  ]);
  t.deepEqual(server.altered, [
    { topic: 'site.a', settings: { 'retention.ms': '1000', 'max.message.bytes': '70536', 'min.insync.replicas': '2' } },
  ]);
  t.deepEqual(server.enlarged, []);
});

test('partitions are added only when that is asked for, since what waits can be overtaken', async (t) => {
  const { server, admin } = await harness(t);
  server.topics.set('site.a', { leaders: [1] }).set('site.b', { leaders: [1, 1, 1] });
  server.configs.set('site.a', well).set('site.b', well);
  server.committed = 8n;
  t.deepEqual(await admin.update({ partitions: false }), []);
  t.deepEqual(await admin.update({ partitions: true }), [{ name: 'site.a', did: ['has 2 partitions now'] }]);
  t.deepEqual(server.enlarged, [{ topic: 'site.a', partitions: 2 }]);
});

test('every look sees the partitions and the copies that the brokers tell of now', async (t) => {
  const { server, admin } = await harness(t);
  server.configs.set('site.a', well).set('site.b', well);
  server.topics.set('site.b', { leaders: [1] });
  for (const [leaders, copies] of [
    [[1], 1],
    [[1, 1], 3],
  ] as const) {
    server.topics.set('site.a', { leaders: [...leaders], copies });
    t.like((await admin.check())[0], { partitions: leaders.length, replicas: copies });
  }
});

test('partitions are not added while records wait for a group: later ones of their keys would overtake them', async (t) => {
  const { server, admin } = await harness(t);
  server.topics.set('site.a', { leaders: [1] }).set('site.b', { leaders: [1] });
  server.configs.set('site.a', small).set('site.b', well);
  for (const committed of [-1n, 7n]) {
    server.committed = committed;
    const error = await t.throwsAsync<RelayError>(admin.update({ partitions: true }));
    t.is(error?.code, 'partitions_in_use');
    t.regex(error?.message ?? '', /site\.a cannot be given more partitions now: 1 records wait for site\.readers/);
    t.deepEqual([server.altered, server.enlarged], [[], []]);
  }
  server.committed = 8n;
  t.deepEqual(
    (await admin.update({ partitions: true })).map(({ name }) => name),
    ['site.a'],
  );
  t.deepEqual(server.enlarged, [{ topic: 'site.a', partitions: 2 }]);
});

test('how long the brokers keep offsets is told, and whether they take a time for it', async (t) => {
  const { server, admin } = await harness(t);
  server.configs.set('1', { 'offsets.retention.minutes': '10080' });
  t.deepEqual(await admin.brokers(), { offsetsRetentionMs: 7 * 86_400_000, keepsOffsets: false });
});

test('what is missing, and what is as wanted or more, is left alone by raising', async (t) => {
  const { server, admin } = await harness(t);
  server.topics.set('site.a', { leaders: [1, 1, 1] });
  server.configs.set('site.a', { ...well, 'min.insync.replicas': '1' });
  t.deepEqual(await admin.update({ partitions: true }), []);
  t.deepEqual([server.created, server.altered, server.enlarged], [[], [], []]);
});

test('settings that may not be read are said to be so, and no topic counts as well', async (t) => {
  const { server, admin } = await harness(t);
  server.topics.set('site.a', { leaders: [1, 1] });
  server.describeCode = 29;
  const error = await t.throwsAsync<RelayError>(admin.check());
  t.regex(error?.message ?? '', /may not read the settings of the topics; grant it DescribeConfigs/);
});

test('a refusal of the brokers is told by the topic, and nothing counts as done', async (t) => {
  const { server, admin } = await harness(t);
  server.topics.set('site.a', { leaders: [1, 1] });
  server.configs.set('site.a', small);
  server.alterCode = 29;
  const error = await t.throwsAsync<RelayError>(admin.update({ partitions: false }));
  t.is(error?.code, 'bus_unavailable');
  t.regex(error?.message ?? '', /site\.a: Not authorized/);
});

test('copies that the brokers cannot keep are refused with what to do, and no topic is made with fewer', async (t) => {
  const { server, admin } = await harness(t);
  server.brokers = 1;
  const error = await t.throwsAsync<RelayError>(admin.create(3));
  t.regex(error?.message ?? '', /there are not 3 brokers .* ask for fewer with --replication/);
  t.deepEqual(server.created, []);
});

test('brokers that are away are an error that can be tried again', async (t) => {
  const { server, admin } = await harness(t);
  server.stop();
  t.is((await t.throwsAsync<RelayError>(admin.check()))?.code, 'bus_unavailable');
  t.is((await t.throwsAsync<RelayError>(admin.create()))?.code, 'bus_unavailable');
  t.is((await t.throwsAsync<RelayError>(admin.update({ partitions: true })))?.code, 'bus_unavailable');
});
