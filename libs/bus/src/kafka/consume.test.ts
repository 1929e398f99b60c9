import { createRateLimitedLog } from '@ranger-relay/runtime';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { defaultRules } from '../consume/partition.ts';
import type { Cluster } from './client/cluster.ts';
import { startConsumer, type ConsumeDependencies } from './consume.ts';
import type { Ends } from './fetch/ends.ts';
import type { Fetcher } from './fetch/fetcher.ts';
import { encodeShare } from './group/coordinator.ts';

const none = async (_: string, partitions: readonly number[]): Promise<Map<number, bigint>> =>
  new Map(partitions.map((partition) => [partition, 0n]));

const fetcherOf = (fetch: Fetcher['fetch']): Fetcher => ({
  fetch,
  failures: () => new Map(),
  failingSince: () => null,
  close: () => undefined,
});

const options = (topic: string) => ({ topic, group: 'group', from: 'earliest' as const, handle: async () => [] });

/** A group of one member, whose share the test decides, and topics without records. */
const harness = () => {
  const clock = manualClock();
  const context = testContext({ clock });
  const state = { share: [0], rebalances: false, partitions: { first: 1, second: 2 } as Record<string, number> };
  let generationId = 0;
  const broker = {
    versions: {},
    isConnected: () => true,
    async heartbeat() {
      const { rebalances } = state;
      state.rebalances = false;
      if (rebalances) throw Object.assign(new Error('rebalance'), { type: 'REBALANCE_IN_PROGRESS' });
    },
    joinGroup: async () => ({ memberId: 'm', generationId: (generationId += 1), leaderId: 'other', members: [] }),
    syncGroup: async () => ({ memberAssignment: encodeShare(new Map([['first', state.share]])) }),
    offsetCommit: async () => undefined,
    offsetFetch: async () => ({ responses: [] }),
  };
  const cluster = {
    connect: async () => undefined,
    refreshMetadata: async () => undefined,
    disconnect: async () => undefined,
    findBroker: async () => broker,
    brokerPool: {
      findConnectedBroker: async () => ({ findGroupCoordinator: async () => ({ coordinator: { nodeId: 1 } }) }),
    },
  } as unknown as Cluster;
  const parts: ConsumeDependencies = {
    ...context,
    withPrefix: (name) => name,
    client: () => cluster,
    partitions: async (topic) => state.partitions[topic] ?? 0,
    topicId: async () => undefined,
    fetcher: fetcherOf(() => new Promise(() => undefined)),
    offsetFetcher: fetcherOf(async ({ from }) => ({ records: [], end: from, next: from })),
    ends: { earliest: none, latest: none } as unknown as Ends,
    readLastRecord: async () => ({ newer: [] }) as never,
    publish: async () => undefined,
    rules: defaultRules,
    sessionTimeoutMs: 10_000,
    clock,
    limitedLog: createRateLimitedLog(context),
  };
  const subscriptions = startConsumer(parts, [options('first'), options('second')], () => undefined);
  const assigned = (): (readonly number[])[] => subscriptions.map((each) => each.assigned());
  return { clock, state, subscriptions, assigned };
};

test('a partition of the second topic follows that of the first one as soon as it can be read', async (t) => {
  const { clock, state, subscriptions, assigned } = harness();
  await clock.advance(1_000);
  t.deepEqual(assigned(), [[0], []]);
  t.regex(subscriptions[1]?.failure() ?? '', /both must have as many/);
  state.partitions['second'] = 1;
  await clock.advance(1_000);
  t.deepEqual(assigned(), [[0], [0]]);
});

test('a partition that is revoked before that of the second topic could be read is taken up in neither', async (t) => {
  const { clock, state, assigned } = harness();
  await clock.advance(1_000);
  t.deepEqual(assigned(), [[0], []]);
  state.share = [];
  state.rebalances = true;
  await clock.advance(5_000);
  t.deepEqual(assigned(), [[], []]);
  state.partitions['second'] = 1;
  await clock.advance(5_000);
  t.deepEqual(assigned(), [[], []]);
});
