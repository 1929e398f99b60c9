import { setTimeout as pass } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '@ranger-relay/runtime';
import { silentLogger } from '@ranger-relay/runtime/testing';
import { type Cluster, createCluster } from '../client/cluster.ts';
import { KafkaServer } from '../test/server.ts';
import { createCoordinator, memberClaimOf } from './coordinator.ts';

const joinGroup = 11;
const apiVersions = 18;
const self = { id: '', topics: ['a'], owned: new Map(), generation: -1 };
const waits = { sessionMs: 6_000, rebalanceMs: 30_000 };

/** A join to a group whose other members do not join. */
const startJoin = async (t: ExecutionContext) => {
  const server = await KafkaServer.start(t);
  server.topics.set('a', { leaders: [1] });
  server.mute.add(joinGroup);
  const client = (): Cluster => createCluster({ settings: server.settings(), log: silentLogger() });
  const [cluster, joins] = [client(), client()];
  t.teardown(() => Promise.all([cluster.disconnect(), joins.disconnect()]));
  const joining = createCoordinator({ cluster, joins, groupId: 'g', clock: systemClock }).join(self, waits);
  joining.catch(() => undefined);
  return { server, joining };
};

test('a join beside a broker that takes a second for each answer is not cut, and cuts no other connection', async (t) => {
  t.timeout(60_000);
  const { server, joining } = await startJoin(t);
  await pass(1_000);
  server.delayMs = 1_100;
  const { connections } = server;
  t.is(await Promise.race([joining.catch(() => 'ended'), pass(5_000, 'waits')]), 'waits');
  t.is(server.connections, connections);
});

test('a join waits for the others as long as the broker answers, and not for a broker that hangs', async (t) => {
  t.timeout(60_000);
  const { server, joining } = await startJoin(t);
  let ended = false;
  joining.catch(() => undefined).finally(() => (ended = true));
  await pass(3_500);
  t.false(ended);
  server.mute.add(apiVersions);
  const started = performance.now();
  const error = await t.throwsAsync(joining);
  t.is(memberClaimOf(error), 'away');
  t.true(performance.now() - started < 6_000);
});
