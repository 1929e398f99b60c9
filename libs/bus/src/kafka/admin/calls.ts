import type { Broker, Cluster } from '../client/cluster.ts';
import { alterTopicSettings, type TopicSettings } from '../wire/alter-configs.ts';
import { codes, factsOf, keepsOffsets } from '../wire/requests.ts';

/** A topic to be made. */
export interface NewTopic {
  readonly name: string;
  readonly partitions: number;
  /** Copies of each record; 0 leaves it to the brokers. */
  readonly replication: number;
  readonly settings: Readonly<Record<string, string>>;
}

interface AdminBroker {
  createTopics(request: object): Promise<unknown>;
  createPartitions(request: object): Promise<unknown>;
  describeConfigs(request: object): Promise<{
    resources: readonly {
      resourceName: string;
      configEntries: readonly { configName: string; configValue: string }[];
    }[];
  }>;
}

const topicResource = 2;
const brokerResource = 4;
const brokersDecide = -1;
const exists = 'TOPIC_ALREADY_EXISTS';
const tooFewBrokers = 'INVALID_REPLICATION_FACTOR';

const controllerOf = async (cluster: Cluster): Promise<Broker & AdminBroker> =>
  (await cluster.findControllerBroker()) as unknown as Broker & AdminBroker;

/** With fewer copies than were asked for, what was acknowledged would hang on fewer disks than somebody believes. */
const tooMany = (replication: number): Error =>
  new Error(
    `there are not ${replication} brokers to keep ${replication} copies of each record; start them, or ask for fewer with --replication, in the chart with kafka.topics.replication`,
  );

/** Creates topics; one that somebody else made meanwhile is left as it is. */
export const createTopics = async (cluster: Cluster, wanted: readonly NewTopic[]): Promise<void> => {
  if (wanted.length === 0) return;
  const controller = await controllerOf(cluster);
  const topics = wanted.map(({ name, partitions, replication, settings }) => ({
    topic: name,
    numPartitions: partitions,
    replicationFactor: replication === 0 ? brokersDecide : replication,
    configEntries: Object.entries(settings).map(([setting, value]) => ({ name: setting, value })),
  }));
  await controller.createTopics({ topics }).catch((error: unknown) => {
    const parts = (error as { errors?: readonly { type?: string }[] }).errors ?? [error as { type?: string }];
    if (parts.some(({ type }) => type === tooFewBrokers))
      throw tooMany(Math.max(...wanted.map((topic) => topic.replication)));
    if (!parts.every(({ type }) => type === exists)) throw error;
  });
};

/** Gives topics more partitions. */
export const addPartitions = async (
  cluster: Cluster,
  wanted: readonly { readonly topic: string; readonly partitions: number }[],
): Promise<void> => {
  if (wanted.length === 0) return;
  const controller = await controllerOf(cluster);
  await controller.createPartitions({
    topicPartitions: wanted.map(({ topic, partitions }) => ({ topic, count: partitions })),
  });
};

/** Sets settings of topics; those that are not named stay. @throws the brokers' refusal of the first that was refused */
export const setSettings = async (cluster: Cluster, changes: readonly TopicSettings[]): Promise<void> => {
  if (changes.length === 0) return;
  const answers = await alterTopicSettings(await controllerOf(cluster), changes);
  const refused = answers.find(({ code }) => code !== codes.none);
  if (!refused) return;
  const { type, message } = factsOf(refused.code);
  throw Object.assign(new Error(`${refused.topic}: ${refused.message ?? message}`), { type });
};

/** Settings of topics as they hold now, the brokers' own among them, by topic. */
export const describeSettings = async (
  cluster: Cluster,
  names: readonly string[],
  settings: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> => {
  if (names.length === 0) return new Map();
  const broker = await controllerOf(cluster);
  const { resources } = await broker.describeConfigs({
    resources: names.map((name) => ({ type: topicResource, name, configNames: [...settings] })),
  });
  return new Map(
    resources.map(({ resourceName, configEntries }) => [
      resourceName,
      new Map(configEntries.map(({ configName, configValue }) => [configName, configValue])),
    ]),
  );
};

/** What the brokers keep offsets by. */
export interface BrokerFacts {
  /** How long they keep those of a group that nobody is in; null when they do not tell. */
  readonly offsetsRetentionMs: number | null;
  /** They take the time for which offsets are to be kept, so that those of ours outlive it. */
  readonly keepsOffsets: boolean;
}

const retentionSetting = 'offsets.retention.minutes';
const minuteMs = 60_000;

/** What one broker says for all of them. */
export const describeBrokers = async (cluster: Cluster): Promise<BrokerFacts> => {
  const broker = await controllerOf(cluster);
  const { nodeId } = broker as unknown as { nodeId: number | string };
  const { resources } = await broker.describeConfigs({
    resources: [{ type: brokerResource, name: String(nodeId), configNames: [retentionSetting] }],
  });
  const minutes = resources
    .flatMap(({ configEntries }) => configEntries)
    .find(({ configName }) => configName === retentionSetting)?.configValue;
  return {
    offsetsRetentionMs: minutes === undefined ? null : Number(minutes) * minuteMs,
    keepsOffsets: keepsOffsets(broker),
  };
};

/** Copies of each partition of a topic that the client has looked up. */
export const replicasOf = (cluster: Cluster, name: string): readonly number[] =>
  cluster.findTopicPartitionMetadata(name).map(({ replicas }) => replicas.length);
