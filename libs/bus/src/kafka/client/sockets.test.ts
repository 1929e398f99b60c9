import { setTimeout as pass } from 'node:timers/promises';
import { silentLogger } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { KafkaServer } from '../test/server.ts';
import { type Cluster, createCluster } from './cluster.ts';

const metadata = 3;
const apiVersions = 18;

/** A client of two brokers that know of each other: the first is number 1. */
const clientOfTwo = async (
  t: ExecutionContext,
): Promise<{ cluster: Cluster; first: KafkaServer; second: KafkaServer }> => {
  const [first, second] = [await KafkaServer.start(t), await KafkaServer.start(t)];
  for (const server of [first, second]) server.topics.set('a', { leaders: [2] });
  first.others = [second.port];
  second.advertised = first.port;
  second.others = [second.port];
  const brokers = [first, second].map(({ port }) => `127.0.0.1:${port}`);
  const cluster = createCluster({ settings: first.settings({ brokers }), log: silentLogger() });
  t.teardown(() => cluster.disconnect());
  return { cluster, first, second };
};

const msOf = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

test.serial('a broker that hangs is asked once in vain, and last from then on, until it answers again', async (t) => {
  t.timeout(60_000);
  const { cluster, first, second } = await clientOfTwo(t);
  await cluster.connect();
  await cluster.addTargetTopic('a');
  await Promise.all(['1', '2'].map((nodeId) => cluster.findBroker({ nodeId })));
  first.mute.add(metadata);
  const answers = (): Promise<boolean> =>
    cluster.refreshMetadata().then(
      () => true,
      () => false,
    );
  // The library asks any broker.
  for (let n = 0; n < 100 && (await answers()); n += 1);
  const asked = first.asked;
  t.true((await msOf(() => cluster.refreshMetadata())) < 1_500);
  t.is(first.asked, asked);

  second.stop();
  for (
    let n = 0;
    n < 100 &&
    (await cluster.findBroker({ nodeId: '2' }).then(
      () => true,
      () => false,
    ));
    n += 1
  )
    await pass(10);
  first.mute.clear();
  for (let n = 0; n < 500 && !(await answers()); n += 1) await pass(10);
  t.true(first.asked > asked);
});

test.serial('a client whose first address accepts and says nothing goes on to the next one', async (t) => {
  t.timeout(60_000);
  const { cluster, first } = await clientOfTwo(t);
  first.mute.add(apiVersions);
  t.true((await msOf(() => cluster.connect())) < 6_000);
  await cluster.addTargetTopic('a');
  t.true((await msOf(() => cluster.refreshMetadata())) < 1_500);
});
