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
  return { server, cluster, layout: createClusterMetadata(cluster, systemClock) };
};

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'known',
    (error: RelayError) => error.code,
  );

test('a topic is learnt with its partitions and leaders, and remembered', async (t) => {
  const { layout, server } = await harness(t);
  t.is(layout.known('a'), undefined);
  t.is(await layout.partitions('a'), 2);
  const { asked } = server;
  t.is(await layout.partitions('a'), 2);
  t.is(server.asked, asked);
  t.deepEqual([layout.known('a'), layout.leader('a', 1), layout.leader('a', 2)], [2, 1, undefined]);
});

test('topics are found after one that does not exist, and that one when it comes', async (t) => {
  const { layout, server } = await harness(t);
  t.is(await codeOf(layout.partitions('gone')), 'bus_topic_unknown');
  t.is(await layout.partitions('a'), 2);
  t.is(await layout.partitions('b'), 3);
  server.topics.set('gone', { leaders: [1] });
  t.is(await layout.partitions('gone'), 1);
});

for (const [what, code] of [
  ['is deleted', 3],
  ['may not be seen any more', 29],
] as const)
  test(`a topic that ${what} breaks no other, and is found again without being asked for`, async (t) => {
    const { layout, server } = await harness(t);
    await layout.partitions('a');
    await layout.partitions('b');
    server.topics.set('a', { code, leaders: [1, 1] });
    server.topics.set('b', { leaders: [1, -1, 1] });
    await layout.refresh();
    t.is(layout.known('a'), undefined);
    t.deepEqual([layout.leader('b', 0), layout.leader('b', 1)], [1, undefined]);
    server.topics.set('a', { leaders: [1, 1] });
    await layout.refresh();
    t.is(layout.leader('a', 0), 1);
  });

test('a partition without a leader hides the leaders of no other', async (t) => {
  const { layout, server } = await harness(t);
  server.topics.set('a', { leaders: [-1, 1] });
  t.is(await layout.partitions('a'), 2);
  t.deepEqual([layout.leader('a', 0), layout.leader('a', 1)], [undefined, 1]);
  server.topics.set('a', { leaders: [1, 1] });
  await layout.refresh();
  t.is(layout.leader('a', 0), 1);
});

test('a topic whose first question failed is asked for again', async (t) => {
  const { layout, server } = await harness(t);
  await layout.partitions('a');
  server.topics.set('b', { code: 5, leaders: [1] });
  t.is(await codeOf(layout.partitions('b')), 'bus_unavailable');
  server.topics.set('b', { leaders: [1] });
  t.is(await layout.partitions('b'), 1);
});

test('many questions at once are one', async (t) => {
  const { layout, server } = await harness(t);
  await layout.partitions('a');
  const { asked } = server;
  await Promise.all(Array.from({ length: 20 }, () => layout.refresh()));
  t.is(server.asked, asked + 1);
});

test('a broker that comes back on another port is found', async (t) => {
  const { layout, server, cluster } = await harness(t);
  await layout.partitions('a');
  const next = await KafkaServer.start(t);
  next.topics.set('a', { leaders: [1, 1] });
  server.advertised = next.port;
  await layout.refresh();
  const before = next.connections;
  await layout.broker(1);
  t.is(next.connections, before + 1);
  await cluster.disconnect();
});

test('after the end of its client a layout knows nothing, throws nothing and opens nothing', async (t) => {
  const { layout, server, cluster } = await harness(t);
  await layout.partitions('a');
  await cluster.disconnect();
  t.is(layout.known('a'), undefined);
  t.is(layout.leader('a', 0), undefined);
  const { connections } = server;
  await t.throwsAsync(layout.refresh());
  await t.throwsAsync(layout.broker(1));
  t.is(await codeOf(layout.partitions('b')), 'bus_unavailable');
  t.is(server.connections, connections);
});
