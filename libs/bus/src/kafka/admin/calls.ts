import type { Broker, Cluster } from '../client/cluster.ts';
import { alterTopicSettings, type TopicSettings } from '../wire/alter-configs.ts';
import { codes, factsOf, keepsOffsets } from '../wire/requests.ts';

/** A topic to create. */
export interface NewTopic {
  readonly name: string;
  readonly partitions: number;
  /** Number of replicas; 0 for the brokers' default. */
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

/** Fewer replicas than requested would make acknowledged records depend on fewer disks than the operator expects. */
const tooMany = (replication: number): Error =>
  new Error(
    `there are not ${replication} brokers to keep ${replication} copies of each record; start them, or ask for fewer with --replication, in the chart with kafka.topics.replication`,
  );

/** Creates topics; one that another process created meanwhile stays unchanged. */
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

/** Adds partitions to topics. */
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

/** Changes settings of topics; other settings stay. @throws the first refusal of the brokers */
export const setSettings = async (cluster: Cluster, changes: readonly TopicSettings[]): Promise<void> => {
  if (changes.length === 0) return;
  const answers = await alterTopicSettings(await controllerOf(cluster), changes);
  const refused = answers.find(({ code }) => code !== codes.none);
  if (!refused) return;
  const { type, message } = factsOf(refused.code);
  throw Object.assign(new Error(`${refused.topic}: ${refused.message ?? message}`), { type });
};

/** Current settings of topics, including the brokers' defaults, by topic. */
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

/** How the brokers keep committed offsets. */
export interface BrokerFacts {
  /** How long they keep the offsets of a group without members; null when unknown. */
  readonly offsetsRetentionMs: number | null;
  /** Whether they accept a retention time for offsets, so that ours are kept longer. */
  readonly keepsOffsets: boolean;
}

const retentionSetting = 'offsets.retention.minutes';
const minuteMs = 60_000;

/** Reads the facts from one broker. */
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
