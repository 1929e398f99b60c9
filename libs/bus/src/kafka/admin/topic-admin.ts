import { kafkaTopicSettings, minInsyncFor } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import type { Clock, Logger } from '@ranger-relay/runtime';
import { type Cluster, createCluster } from '../client/cluster.ts';
import { createClusterMetadata } from '../client/cluster-metadata.ts';
import { isTopicRefused, unavailable } from '../client/problems.ts';
import type { KafkaSettings } from '../client/settings.ts';
import { createEnds } from '../fetch/ends.ts';
import { createCoordinator } from '../group/coordinator.ts';
import { topicStates } from '../watch.ts';
import { codes, factsOf } from '../wire/requests.ts';
import {
  addPartitions,
  type BrokerFacts,
  createTopics,
  describeBrokers,
  describeSettings,
  setSettings,
} from './calls.ts';
import { type Difference, differencesOf, type FoundTopic, type WantedTopic, watchedSettings } from './differences.ts';

/** Number of records of a topic that a group has not handled, by offsets; all records for a group without offsets. */
const waitingFor = async (
  cluster: Cluster,
  clock: Clock,
  { topic, group, partitions }: { readonly topic: string; readonly group: string; readonly partitions: number },
): Promise<number> => {
  const all = Array.from({ length: partitions }, (_, partition) => partition);
  const ends = createEnds(cluster, createClusterMetadata(cluster, clock), clock);
  const [committed, first, last] = await Promise.all([
    createCoordinator({ cluster, groupId: group, clock }).committed(topic, all),
    ends.earliest(topic, all),
    ends.latest(topic, all),
  ]);
  let waiting = 0n;
  for (const partition of all) {
    const start = first.get(partition) ?? 0n;
    const done = committed.get(partition)?.offset ?? start;
    const left = (last.get(partition) ?? start) - (done > start ? done : start);
    // A position beyond the end hides no record of another partition.
    if (left > 0n) waiting += left;
  }
  return Number(waiting);
};

/** A topic on the brokers, compared with the catalogue. */
export interface TopicState {
  readonly name: string;
  /** Null when it does not exist. */
  readonly partitions: number | null;
  /** Number of replicas; null when it does not exist. */
  readonly replicas: number | null;
  /** Number of replicas that must store a record before it is acknowledged; null when it does not exist. */
  readonly minInsync: number | null;
  /** Whether it has fewer partitions than required; this loses no record. */
  readonly isNarrow: boolean;
  /** Whether creating the topic, or setting what it lacks, solves a problem. */
  readonly isFixable: boolean;
  /** Sentences about what is less than required; empty when there is nothing. */
  readonly problems: readonly string[];
  /** Sentences about what works but should be known. */
  readonly notes: readonly string[];
}

/** The changes of one topic. */
export interface TopicChange {
  readonly name: string;
  /** The rest of sentences that start with the topic's name, for example `has 12 partitions now`. */
  readonly did: readonly string[];
}

/** Options of `update`. */
export interface UpdateOptions {
  /**
   * Also adds partitions, to topics without waiting records: a key may lead to another partition afterwards, where
   * later records of the key would overtake waiting ones.
   */
  readonly partitions: boolean;
}

/** Creates and updates the topics of one installation. It never deletes a topic or lowers a setting. */
export interface TopicAdmin {
  /** Compares the topics with the catalogue. */
  check(): Promise<readonly TopicState[]>;
  /**
   * Creates the missing topics and returns their names.
   * @param replication number of replicas; 0 for the brokers' default
   */
  create(replication?: number): Promise<readonly string[]>;
  /** Raises the settings of existing topics to those of the catalogue; other settings stay. */
  update(options: UpdateOptions): Promise<readonly TopicChange[]>;
  /** Reads how the brokers keep offsets. */
  brokers(): Promise<BrokerFacts>;
  close(): Promise<void>;
}

const guarded = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw unavailable(error);
  });

const textsOf = (differences: readonly Difference[], severity: Difference['severity']): string[] =>
  differences.filter((difference) => difference.severity === severity).map(({ text }) => text);

const absent = (name: string): TopicState => ({
  name,
  partitions: null,
  replicas: null,
  minInsync: null,
  isNarrow: false,
  isFixable: true,
  problems: ['does not exist'],
  notes: [],
});

const stateOf = (name: string, wanted: WantedTopic, found: FoundTopic): TopicState => {
  const differences = differencesOf(wanted, found);
  return {
    name,
    partitions: found.partitions,
    replicas: found.replicas,
    minInsync: Number(found.settings.get('min.insync.replicas') ?? 1),
    isNarrow: found.partitions < wanted.partitions,
    isFixable: differences.some(({ set }) => set !== undefined),
    problems: textsOf(differences, 'problem'),
    notes: textsOf(differences, 'note'),
  };
};

/** The settings and the number of partitions that remove the differences of a topic. */
const updateOf = (differences: readonly Difference[]) => ({
  set: Object.assign({}, ...differences.map(({ set }) => set)) as Readonly<Record<string, string>>,
  partitions: differences.find(({ partitions }) => partitions !== undefined)?.partitions,
});

interface FoundState {
  readonly topic: WantedTopic;
  readonly name: string;
  /** Null when it does not exist. */
  readonly found: FoundTopic | null;
}

const readState = async (cluster: Cluster, wanted: readonly WantedTopic[], prefix: string): Promise<FoundState[]> => {
  const named = wanted.map((topic) => ({ topic, name: prefix + topic.name }));
  const states = await topicStates(
    cluster,
    named.map(({ name }) => name),
  );
  const hidden = states.find(({ code }) => code !== codes.none && code !== codes.unknownTopic);
  if (hidden) throw new Error(`${hidden.topic}: ${factsOf(hidden.code).message}`);
  const replicasOf = new Map(
    states.flatMap(({ topic, code, replicas }) => (code === codes.none ? [[topic, replicas] as const] : [])),
  );
  // What follows asks the controller and the leaders, which may have changed since the last look.
  await cluster.refreshMetadata();
  const settings = await describeSettings(cluster, [...replicasOf.keys()], watchedSettings).catch((error: unknown) => {
    throw isTopicRefused(error)
      ? new Error('the Kafka user may not read the settings of the topics; grant it DescribeConfigs')
      : error;
  });
  return named.map(({ topic, name }) => {
    const replicas = replicasOf.get(name);
    if (!replicas) return { topic, name, found: null };
    const found = {
      partitions: replicas.length,
      replicas: Math.min(...replicas),
      settings: settings.get(name) ?? new Map<string, string>(),
    };
    return { topic, name, found };
  });
};

const create = async (cluster: Cluster, states: readonly FoundState[], replication: number): Promise<string[]> => {
  const missing = states.filter(({ found }) => found === null);
  const copies = replication >= 3 ? { 'min.insync.replicas': String(minInsyncFor(replication)) } : {};
  await createTopics(
    cluster,
    missing.map(({ topic, name }) => ({
      name,
      partitions: topic.partitions,
      replication,
      settings: { ...kafkaTopicSettings(topic), ...copies },
    })),
  );
  return missing.map(({ name }) => name);
};

/** @throws RelayError `partitions_in_use` while a group of the topic has waiting records */
const refuseWhileWaiting = async (
  { cluster, clock, prefix }: TopicAdminDependencies,
  { topic, name, found }: FoundState,
): Promise<void> => {
  for (const consumer of topic.consumers ?? []) {
    const group = prefix + consumer;
    const records = await waitingFor(cluster, clock, { topic: name, group, partitions: found?.partitions ?? 0 });
    if (records > 0) throw new RelayError('partitions_in_use', { details: { topic: name, records, group } });
  }
};

const update = async (
  parts: TopicAdminDependencies,
  states: readonly FoundState[],
  { partitions: addsPartitions }: UpdateOptions,
): Promise<TopicChange[]> => {
  const { cluster } = parts;
  const due: { topic: string; set: Readonly<Record<string, string>>; partitions: number | undefined }[] = [];
  for (const each of states) {
    const { set, partitions } = updateOf(each.found ? differencesOf(each.topic, each.found) : []);
    if (addsPartitions && partitions !== undefined) await refuseWhileWaiting(parts, each);
    due.push({ topic: each.name, set, partitions: addsPartitions ? partitions : undefined });
  }
  await setSettings(
    cluster,
    due.filter(({ set }) => Object.keys(set).length > 0),
  );
  await addPartitions(
    cluster,
    due.flatMap(({ topic, partitions }) => (partitions === undefined ? [] : [{ topic, partitions }])),
  );
  return due
    .map(({ topic, set, partitions }) => ({
      name: topic,
      did: [
        ...Object.entries(set).map(([setting, value]) => `${setting} is ${value} now`),
        ...(partitions === undefined ? [] : [`has ${partitions} partitions now`]),
      ],
    }))
    .filter(({ did }) => did.length > 0);
};

interface TopicAdminDependencies {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** Prefix of the names of topics and groups. */
  readonly prefix: string;
}

/** Opens the admin of these topics. Its calls throw RelayError `bus_unavailable` when the brokers do not answer or refuse. */
export const openTopicAdmin = (
  settings: KafkaSettings,
  wanted: readonly WantedTopic[],
  { log, clock }: { readonly log: Logger; readonly clock: Clock },
): TopicAdmin => {
  const cluster = createCluster({ settings, log });
  const parts: TopicAdminDependencies = { cluster, clock, prefix: settings.prefix };
  const readStates = (): Promise<FoundState[]> => readState(cluster, wanted, settings.prefix);
  return {
    check: () =>
      guarded(
        readStates().then((states) =>
          states.map(({ topic, name, found }) => (found ? stateOf(name, topic, found) : absent(name))),
        ),
      ),
    create: (replication = 0) => guarded(readStates().then((states) => create(cluster, states, replication))),
    update: (options) => guarded(readStates().then((states) => update(parts, states, options))),
    brokers: () =>
      guarded(
        cluster
          .connect()
          .then(() => cluster.refreshMetadata())
          .then(() => describeBrokers(cluster)),
      ),
    close: () => cluster.disconnect().catch(() => undefined),
  };
};
