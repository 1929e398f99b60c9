import type { BusRecord } from '@ranger-relay/bus';
import {
  openKafkaBus,
  openTopicAdmin,
  type KafkaBus,
  type KafkaSettings,
  type WantedTopic,
} from '@ranger-relay/bus/kafka';
import { systemClock } from '@ranger-relay/runtime';
import { testContext } from '@ranger-relay/runtime/testing';
import type { ExecutionContext } from 'ava';
import { until } from '../until.ts';
import type { KafkaCluster } from './index.ts';

/** How a client finds brokers, and the topics of one installation on them. */
export const settingsFor = ({ addresses }: Pick<KafkaCluster, 'addresses'>, prefix = ''): KafkaSettings => ({
  brokers: addresses.split(','),
  clientId: 'e2e',
  prefix,
  sessionTimeoutMs: 6_000,
});

/** Makes topics. */
export const createTopics = async (settings: KafkaSettings, wanted: readonly WantedTopic[]): Promise<void> => {
  const admin = openTopicAdmin(settings, wanted, { log: testContext().log, clock: systemClock });
  await admin.create();
  await admin.close();
};

type BusOptions = Parameters<typeof openKafkaBus>[0];

/** Opens a bus and waits for its topics; it is closed when the test ends. */
export const openReadyBus = async (
  t: Pick<ExecutionContext, 'teardown'>,
  { clock = systemClock, ...options }: Pick<BusOptions, 'settings' | 'topics'> & Partial<BusOptions>,
): Promise<KafkaBus> => {
  const { random, log, metrics } = testContext();
  const bus = openKafkaBus({ clock, random, log, metrics, ...options });
  t.teardown(() => bus.close());
  await until('the bus has its topics', () => bus.ready() && bus.topicProblems().length === 0);
  return bus;
};

/** Consumes until so many records were handled, in a group that is named like the topic, and closes. */
export const consume = async (bus: KafkaBus, topic: string, count: number): Promise<readonly BusRecord[]> => {
  const consumed: BusRecord[] = [];
  const subscription = await bus.consume({
    topic,
    group: topic,
    handle: async ({ records }) => {
      consumed.push(...records);
      return records.map(() => ({ kind: 'done' }));
    },
  });
  await until(`${topic}: ${count} records`, () => consumed.length >= count);
  await subscription.close();
  return consumed;
};
