import type { Clock, Logger, MetricName, Metrics, Random, RateLimitedLog } from '@ranger-relay/runtime';
import type { Bus, ConsumeOptions, Subscription } from '../port.ts';
import { createGroup, type Group, type Member } from './group.ts';
import {
  canFetch,
  type ConsumeRules,
  type ConsumeSettings,
  lagOf,
  oldestOf,
  type PartitionSource,
  type RunningPartition,
  settingsOf,
  showLag,
  startPartition,
} from './partition.ts';
import type { PartitionStart } from './commit.ts';

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
export type Groups = Pick<Map<string, Group<Assigned>>, 'get' | 'set'>;

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
  readonly consume: Bus['consume'];
  readonly consumeTogether: Bus['consumeTogether'];
  /** Closes every subscription. */
  close(): Promise<void>;
}

const startPauseMs = 1_000;

/** One partition of each topic that a member consumes together. */
export interface Assigned {
  readonly works: readonly RunningPartition[];
  stop(deadlineMs: number): Promise<void>;
}

const startOne = async (
  storage: ConsumerStorage,
  parts: ConsumersDependencies,
  settings: ConsumeSettings,
  partition: number,
): Promise<RunningPartition> => {
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
};

const memberOf = (
  storage: ConsumerStorage,
  parts: ConsumersDependencies,
  consumed: readonly ConsumeSettings[],
): Member<Assigned> => ({
  async start(partition) {
    const works: RunningPartition[] = [];
    const stop = async (deadlineMs: number): Promise<void> => {
      await Promise.all(works.map((work) => work.stop(deadlineMs)));
    };
    try {
      for (const settings of consumed) works.push(await startOne(storage, parts, settings, partition));
    } catch (error) {
      await stop(0);
      throw error;
    }
    return { works, stop };
  },
});

const groupOf = (
  { groups, rules, limitedLog, clock }: ConsumersDependencies,
  { topic, group }: ConsumeSettings,
  partitions: number,
): Group<Assigned> => {
  const id = JSON.stringify([topic, group]);
  const made =
    groups.get(id) ??
    createGroup<Assigned>(partitions, rules.closeMs, async (error, partition) => {
      const fields = { err: error, topic, partition };
      limitedLog.error(`${topic}.start`, fields, 'a partition did not start or stop; retrying');
      await clock.sleep(startPauseMs);
    });
  groups.set(id, made);
  return made;
};

/** The subscriptions of a member, one a topic; closing one of them closes all. */
const subscriptionsOf = (
  group: Group<Assigned>,
  member: Member<Assigned>,
  storage: ConsumerStorage,
  parts: ConsumersDependencies,
  consumed: readonly ConsumeSettings[],
  closed: () => void,
): Subscription[] => {
  let closing: Promise<void> | undefined;
  const close = async (deadlineMs: number): Promise<void> => {
    await group.leave(member, deadlineMs);
    closed();
    await storage.flush().catch((error: unknown) => {
      parts.log.warn({ err: error }, 'offsets could not be committed at shutdown: records will be redelivered');
    });
  };
  return consumed.map((_, index): Subscription => {
    const running = (): readonly RunningPartition[] =>
      group.running(member).flatMap(([, { works }]) => works[index] ?? []);
    return {
      assigned: () => group.running(member).map(([partition]) => partition),
      undone: (partition) =>
        group.running(member).find(([each]) => each === partition)?.[1].works[index]?.undone ?? null,
      ready: () => !closing && group.settled(member) && running().every(canFetch),
      alive: () => storage.alive() && running().every((work) => work.alive()),
      oldestPending: () => oldestOf(running()),
      lag: () => lagOf(running()),
      wake: (lane) => {
        for (const work of running()) work.wake(lane);
      },
      close: (deadlineMs = parts.rules.closeMs) => (closing ??= close(deadlineMs)),
    };
  });
};

/** Creates the consumers of one bus. All members of its groups are in this process. */
export const createConsumers = (storage: ConsumerStorage, parts: ConsumersDependencies): Consumers => {
  const open = new Set<Subscription>();

  const join = async (...options: readonly ConsumeOptions[]): Promise<Subscription[]> => {
    const consumed = options.map(settingsOf);
    const counts = consumed.map(({ topic }) => storage.partitions(topic));
    const [first] = consumed;
    if (!first || new Set(counts).size > 1)
      throw new Error(`topics with ${counts.join(' and ')} partitions are not consumed together`);
    for (const settings of consumed) await storage.begin(settings);
    const group = groupOf(parts, first, counts[0] ?? 0);
    const member = memberOf(storage, parts, consumed);
    const subscriptions = subscriptionsOf(group, member, storage, parts, consumed, () => {
      for (const subscription of subscriptions) open.delete(subscription);
    });
    for (const [index, subscription] of subscriptions.entries()) {
      open.add(subscription);
      showLag(parts.metrics, consumed[index] as ConsumeSettings, subscription);
    }
    await group.join(member);
    return subscriptions;
  };

  return {
    consume: async (options) => (await join(options))[0] as Subscription,
    consumeTogether: async (first, second) => (await join(first, second)) as [Subscription, Subscription],
    async close() {
      await Promise.all([...open].map((subscription) => subscription.close()));
    },
  };
};
