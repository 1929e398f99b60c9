import type { Logger } from '@ranger-relay/runtime';
import { createCluster, type Cluster } from './client/cluster.ts';
import { unavailable } from './client/problems.ts';
import type { KafkaSettings } from './client/settings.ts';
import { missingTopics } from './watch.ts';

/** A topic as the catalogue wants it. */
export interface WantedTopic {
  readonly name: string;
  readonly partitions: number;
  readonly retentionMs: number;
  readonly maxRecordBytes: number;
}

/** What a topic is like on the brokers, beside what is wanted. */
export interface TopicState {
  readonly name: string;
  /** Null when it does not exist. */
  readonly partitions: number | null;
  /** Sentences about what differs; empty when all is well. */
  readonly problems: readonly string[];
}

/** Looks after the topics of one installation. */
export interface TopicKeeper {
  /** Compares the topics with what is wanted. */
  check(): Promise<readonly TopicState[]>;
  /** Creates the topics that are missing; answers their names. `replication` 0 leaves it to the brokers. */
  create(replication?: number): Promise<readonly string[]>;
  close(): Promise<void>;
}

interface AdminBroker {
  createTopics(request: object): Promise<unknown>;
  describeConfigs(request: object): Promise<{
    resources: readonly {
      resourceName: string;
      configEntries: readonly { configName: string; configValue: string }[];
    }[];
  }>;
}

/** A record travels in a batch with its key, headers and lengths. */
const batchRoom = 65_536;
const topicResource = 2;
const exists = 'TOPIC_ALREADY_EXISTS';

const settingsOf = ({ retentionMs, maxRecordBytes }: WantedTopic): Readonly<Record<string, string>> => ({
  'cleanup.policy': 'delete',
  // Others may write compressed; every reader can read what is stored without.
  'compression.type': 'uncompressed',
  'retention.ms': String(retentionMs),
  'max.message.bytes': String(maxRecordBytes + batchRoom),
});

const compare = (wanted: WantedTopic, partitions: number, found: ReadonlyMap<string, string>): string[] => {
  const problems: string[] = [];
  if (partitions < wanted.partitions)
    problems.push(
      `has ${partitions} partitions, but ${wanted.partitions} are wanted: fewer replicas can share the work`,
    );
  const retention = Number(found.get('retention.ms'));
  if (retention !== -1 && retention < wanted.retentionMs)
    problems.push(`keeps records for ${retention} ms, but ${wanted.retentionMs} are wanted: what waits longer is lost`);
  if (Number(found.get('max.message.bytes')) < wanted.maxRecordBytes)
    problems.push(
      `takes batches of ${found.get('max.message.bytes')} bytes, but records of ${wanted.maxRecordBytes} are allowed`,
    );
  const policy = found.get('cleanup.policy') ?? '';
  if (policy.includes('compact')) problems.push('is compacted: records of a key would be lost');
  return problems;
};

const describe = async (cluster: Cluster, names: readonly string[]): Promise<Map<string, Map<string, string>>> => {
  if (names.length === 0) return new Map();
  const broker = (await cluster.findControllerBroker()) as unknown as AdminBroker;
  const { resources } = await broker.describeConfigs({
    resources: names.map((name) => ({
      type: topicResource,
      name,
      configNames: ['retention.ms', 'max.message.bytes', 'cleanup.policy'],
    })),
  });
  return new Map(
    resources.map(({ resourceName, configEntries }) => [
      resourceName,
      new Map(configEntries.map(({ configName, configValue }) => [configName, configValue])),
    ]),
  );
};

const guarded = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw unavailable(error);
  });

/** Opens the keeper of these topics. @throws RelayError `bus_unavailable` from its calls when the brokers do not answer */
export const openTopicKeeper = (settings: KafkaSettings, wanted: readonly WantedTopic[], log: Logger): TopicKeeper => {
  const cluster = createCluster({ settings, log });
  const outer = ({ name }: WantedTopic): string => settings.prefix + name;

  const missing = async (): Promise<Set<string>> => new Set(await missingTopics(cluster, wanted.map(outer)));

  const check = async (): Promise<TopicState[]> => {
    const gone = await missing();
    const here = wanted.filter((topic) => !gone.has(outer(topic)));
    const configs = await describe(cluster, here.map(outer));
    return wanted.map((topic) => {
      const name = outer(topic);
      if (gone.has(name)) return { name, partitions: null, problems: ['does not exist'] };
      const partitions = cluster.findTopicPartitionMetadata(name).length;
      return { name, partitions, problems: compare(topic, partitions, configs.get(name) ?? new Map()) };
    });
  };

  const create = async (replication = 0): Promise<string[]> => {
    const gone = await missing();
    const made = wanted.filter((topic) => gone.has(outer(topic)));
    if (made.length === 0) return [];
    const controller = (await cluster.findControllerBroker()) as unknown as AdminBroker;
    await controller
      .createTopics({
        topics: made.map((topic) => ({
          topic: outer(topic),
          numPartitions: topic.partitions,
          replicationFactor: replication === 0 ? -1 : replication,
          configEntries: Object.entries(settingsOf(topic)).map(([name, value]) => ({ name, value })),
        })),
      })
      .catch((error: unknown) => {
        const parts = (error as { errors?: readonly { type?: string }[] }).errors ?? [error as { type?: string }];
        if (!parts.every(({ type }) => type === exists)) throw error;
      });
    return made.map(outer);
  };

  return {
    check: () => guarded(check()),
    create: (replication) => guarded(create(replication)),
    close: () => cluster.disconnect().catch(() => undefined),
  };
};
