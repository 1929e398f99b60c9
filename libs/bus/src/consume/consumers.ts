import type { Clock, Logger, MetricName, Metrics, Random, RateLimitedLog } from '@ranger-relay/runtime';
import type { ConsumeOptions, Subscription } from '../port.ts';
import { createGroup, type Group, type Member } from './group.ts';
import {
  canFetch,
  type ConsumeRules,
  type ConsumeSettings,
  lagOf,
  oldestOf,
  type PartitionSource,
  type PartitionStart,
  type RunningPartition,
  settingsOf,
  showLag,
  startPartition,
} from './partition.ts';

/** What an adapter without a group coordinator keeps of topics and groups. */
export interface ConsumerStorage {
  /** How many partitions a topic has. @throws RelayError `bus_topic_unknown` */
  partitions(topic: string): number;
  /** Stores where a group without offsets starts. */
  begin(settings: ConsumeSettings): Promise<void>;
  /** Where the group goes on. */
  start(settings: ConsumeSettings, partition: number): Promise<PartitionStart>;
  source(settings: ConsumeSettings, partition: number): PartitionSource;
  /** Calls `listener` when records of the partition may have come. Returns how to stop. */
  listen(topic: string, partition: number, listener: () => void): () => void;
  /** Resolves when all commits are stored. */
  flush(): Promise<void>;
  alive(): boolean;
}

/** Groups by topic and name, as JSON. */
export type Groups = Pick<Map<string, Group<RunningPartition>>, 'get' | 'set'>;

/** What consuming needs beside the storage. */
export interface ConsumersDependencies {
  /** Those whose members share the partitions of the storage. */
  readonly groups: Groups;
  readonly rules: ConsumeRules;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly limitedLog: RateLimitedLog;
  readonly metrics: Metrics<MetricName>;
}

/** The consumers of one bus. */
export interface Consumers {
  consume(options: ConsumeOptions): Promise<Subscription>;
  /** Closes every subscription. */
  close(): Promise<void>;
}

const startPauseMs = 1_000;

const memberOf = (
  storage: ConsumerStorage,
  parts: ConsumersDependencies,
  settings: ConsumeSettings,
): Member<RunningPartition> => ({
  async start(partition) {
    const start = await storage.start(settings, partition);
    const source = storage.source(settings, partition);
    const running = startPartition({ ...parts, partition, start, settings, source });
    const silence = storage.listen(settings.topic, partition, running.notify);
    return {
      ...running,
      async stop(deadlineMs) {
        silence();
        await running.stop(deadlineMs);
      },
    };
  },
});

const groupOf = (
  { groups, rules, limitedLog, clock }: ConsumersDependencies,
  { topic, group }: ConsumeSettings,
  partitions: number,
): Group<RunningPartition> => {
  const id = JSON.stringify([topic, group]);
  const made =
    groups.get(id) ??
    createGroup<RunningPartition>(partitions, rules.closeMs, async (error, partition) => {
      const fields = { err: error, topic, partition };
      limitedLog.error(`${topic}.start`, fields, 'a partition did not start or stop; retrying');
      await clock.sleep(startPauseMs);
    });
  groups.set(id, made);
  return made;
};

const subscriptionOf = (
  group: Group<RunningPartition>,
  member: Member<RunningPartition>,
  storage: ConsumerStorage,
  parts: ConsumersDependencies,
  closed: () => void,
): Subscription => {
  let closing: Promise<void> | undefined;
  const running = (): readonly RunningPartition[] => group.running(member).map(([, work]) => work);
  const close = async (deadlineMs: number): Promise<void> => {
    await group.leave(member, deadlineMs);
    closed();
    await storage.flush().catch((error: unknown) => {
      parts.log.warn({ err: error }, 'offsets could not be committed at shutdown: records will be redelivered');
    });
  };
  return {
    assigned: () => group.running(member).map(([partition]) => partition),
    ready: () => !closing && group.settled(member) && running().every(canFetch),
    alive: () => storage.alive() && running().every((work) => work.alive()),
    oldestPending: () => oldestOf(running()),
    lag: () => lagOf(running()),
    wake: (lane) => {
      for (const work of running()) work.wake(lane);
    },
    close: (deadlineMs = parts.rules.closeMs) => (closing ??= close(deadlineMs)),
  };
};

/** Creates the consumers of one bus. All members of its groups are in this process. */
export const createConsumers = (storage: ConsumerStorage, parts: ConsumersDependencies): Consumers => {
  const open = new Set<Subscription>();
  return {
    async consume(options) {
      const settings = settingsOf(options);
      const partitions = storage.partitions(settings.topic);
      await storage.begin(settings);
      const group = groupOf(parts, settings, partitions);
      const member = memberOf(storage, parts, settings);
      const subscription = subscriptionOf(group, member, storage, parts, () => open.delete(subscription));
      open.add(subscription);
      showLag(parts.metrics, settings, subscription);
      await group.join(member);
      return subscription;
    },
    async close() {
      await Promise.all([...open].map((subscription) => subscription.close()));
    },
  };
};
