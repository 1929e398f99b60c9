import test from 'ava';
import type { RelayError } from '@ranger-relay/errors';
import { systemClock } from '@ranger-relay/runtime';
import { silentLogger } from '@ranger-relay/runtime/testing';
import { KafkaServer } from '../test/server.ts';
import { createCluster } from './cluster.ts';
import { createClusterMetadata } from './cluster-metadata.ts';

type T = Parameters<typeof KafkaServer.start>[0] & { timeout(ms: number): void };

const harness = async (t: T) => {
  t.timeout(60_000);
  const server = await KafkaServer.start(t);
  server.topics.set('a', { leaders: [1, 1] }).set('b', { leaders: [1, 1, 1] });
  const cluster = createCluster({ settings: server.settings(), log: silentLogger() });
  t.teardown(() => void cluster.disconnect());
  return { server, cluster, metadata: createClusterMetadata(cluster, systemClock) };
};

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'known',
    (error: RelayError) => error.code,
  );

test('a topic is learnt with its partitions and leaders, and remembered', async (t) => {
  const { metadata, server } = await harness(t);
  t.is(metadata.known('a'), undefined);
  t.is(await metadata.partitions('a'), 2);
  const { asked } = server;
  t.is(await metadata.partitions('a'), 2);
  t.is(server.asked, asked);
  t.deepEqual([metadata.known('a'), metadata.leader('a', 1), metadata.leader('a', 2)], [2, 1, undefined]);
});

test('topics are found after one that does not exist, and that one when it comes', async (t) => {
  const { metadata, server } = await harness(t);
  t.is(await codeOf(metadata.partitions('gone')), 'bus_topic_unknown');
  t.is(await metadata.partitions('a'), 2);
  t.is(await metadata.partitions('b'), 3);
  server.topics.set('gone', { leaders: [1] });
  t.is(await metadata.partitions('gone'), 1);
});

for (const [what, code] of [
  ['is deleted', 3],
  ['may not be seen any more', 29],
] as const)
  test(`a topic that ${what} breaks no other, and is found again without being asked for`, async (t) => {
    const { metadata, server } = await harness(t);
    await metadata.partitions('a');
    await metadata.partitions('b');
    server.topics.set('a', { code, leaders: [1, 1] });
    server.topics.set('b', { leaders: [1, -1, 1] });
    await metadata.refresh();
    t.is(metadata.known('a'), undefined);
    t.deepEqual([metadata.leader('b', 0), metadata.leader('b', 1)], [1, undefined]);
    server.topics.set('a', { leaders: [1, 1] });
    await metadata.refresh();
    t.is(metadata.leader('a', 0), 1);
  });

test('a partition without a leader hides the leaders of no other', async (t) => {
  const { metadata, server } = await harness(t);
  server.topics.set('a', { leaders: [-1, 1] });
  t.is(await metadata.partitions('a'), 2);
  t.deepEqual([metadata.leader('a', 0), metadata.leader('a', 1)], [undefined, 1]);
  server.topics.set('a', { leaders: [1, 1] });
  await metadata.refresh();
  t.is(metadata.leader('a', 0), 1);
});

test('a broker that has not heard of a topic says nothing of its id', async (t) => {
  const { server, metadata } = await harness(t);
  t.is(await metadata.askTopicId('a'), undefined, 'this one has no ids');
  server.topics.delete('a');
  t.is(await codeOf(metadata.askTopicId('a')), 'bus_topic_unknown');
});

test('a topic whose first question failed is asked for again', async (t) => {
  const { metadata, server } = await harness(t);
  await metadata.partitions('a');
  server.topics.set('b', { code: 5, leaders: [1] });
  t.is(await codeOf(metadata.partitions('b')), 'bus_unavailable');
  server.topics.set('b', { leaders: [1] });
  t.is(await metadata.partitions('b'), 1);
});

test('many questions at once are one', async (t) => {
  const { metadata, server } = await harness(t);
  await metadata.partitions('a');
  const { asked } = server;
  await Promise.all(Array.from({ length: 20 }, () => metadata.refresh()));
  // The layout, and the ids.
  t.is(server.asked, asked + 2);
});

test('a broker that comes back on another port is found', async (t) => {
  const { metadata, server, cluster } = await harness(t);
  await metadata.partitions('a');
  const next = await KafkaServer.start(t);
  next.topics.set('a', { leaders: [1, 1] });
  server.advertised = next.port;
  const before = next.connections;
  await metadata.refresh();
  await metadata.broker(1);
  t.is(next.connections, before + 1);
  await cluster.disconnect();
});

test('after the end of its client a layout knows nothing, throws nothing and opens nothing', async (t) => {
  const { metadata, server, cluster } = await harness(t);
  await metadata.partitions('a');
  await cluster.disconnect();
  t.is(metadata.known('a'), undefined);
  t.is(metadata.leader('a', 0), undefined);
  const { connections } = server;
  await t.throwsAsync(metadata.refresh());
  await t.throwsAsync(metadata.broker(1));
  t.is(await codeOf(metadata.partitions('b')), 'bus_unavailable');
  t.is(server.connections, connections);
});
