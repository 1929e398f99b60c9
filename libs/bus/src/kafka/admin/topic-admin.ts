import { kafkaTopicSettings, minInsyncFor } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import type { Clock, Logger } from '@ranger-relay/runtime';
import { type Cluster, createCluster } from '../client/cluster.ts';
import { createClusterMetadata } from '../client/cluster-metadata.ts';
import { unavailable } from '../client/problems.ts';
import type { KafkaSettings } from '../client/settings.ts';
import { createEnds } from '../fetch/ends.ts';
import { createCoordinator } from '../group/coordinator.ts';
import { missingTopics } from '../watch.ts';
import {
  addPartitions,
  type BrokerFacts,
  createTopics,
  describeBrokers,
  describeSettings,
  replicasOf,
  setSettings,
} from './calls.ts';
import { type Difference, differencesOf, type FoundTopic, type WantedTopic, watchedSettings } from './differences.ts';

/** How many records of a topic a group has not handled, by offsets; without one it has handled none. */
const waitingFor = async (
  cluster: Cluster,
  clock: Clock,
  { topic, group, partitions }: { readonly topic: string; readonly group: string; readonly partitions: number },
): Promise<number> => {
  const all = Array.from({ length: partitions }, (_, partition) => partition);
  const ends = createEnds(cluster, createClusterMetadata(cluster, clock), clock);
  const [committed, first, last] = await Promise.all([
    createCoordinator(cluster, group, clock).committed(topic, all),
    ends.earliest(topic, all),
    ends.latest(topic, all),
  ]);
  let waiting = 0n;
  for (const partition of all) {
    const start = first.get(partition) ?? 0n;
    const done = committed.get(partition) ?? start;
    waiting += (last.get(partition) ?? start) - (done > start ? done : start);
  }
  return Number(waiting);
};

/** What a topic is like on the brokers, beside what is wanted. */
export interface TopicState {
  readonly name: string;
  /** Null when it does not exist. */
  readonly partitions: number | null;
  /** Copies of each record; null when it does not exist. */
  readonly replicas: number | null;
  /** Copies that must have a record before it counts as stored; null when it does not exist. */
  readonly minInsync: number | null;
  /** Has fewer partitions than wanted: a problem of theirs that loses nothing. */
  readonly isNarrow: boolean;
  /** Has a problem that creating the topic or setting what it lacks ends. */
  readonly isMendable: boolean;
  /** Sentences about what is less than wanted; empty when all is well. */
  readonly problems: readonly string[];
  /** Sentences about what works and should be known. */
  readonly notes: readonly string[];
}

/** What was changed at one topic. */
export interface TopicChange {
  readonly name: string;
  /** Sentences behind the name, as `has 12 partitions now`. */
  readonly did: readonly string[];
}

/** How topics are raised. */
export interface UpdateOptions {
  /**
   * Adds partitions too, to topics of which nothing waits: the key of a record may lead to another partition then, where later records of the
   * same key would overtake what waits.
   */
  readonly partitions: boolean;
}

/** Looks after the topics of one installation. Nothing is ever deleted or lowered. */
export interface TopicAdmin {
  /** Compares the topics with what is wanted. */
  check(): Promise<readonly TopicState[]>;
  /** Creates the topics that are missing; answers their names. `replication` 0 leaves it to the brokers. */
  create(replication?: number): Promise<readonly string[]>;
  /** Raises the settings of topics that are there to what is wanted; other settings stay. */
  update(options: UpdateOptions): Promise<readonly TopicChange[]>;
  /** What the brokers themselves are set to. */
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
  isMendable: true,
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
    isMendable: differences.some(({ set }) => set !== undefined),
    problems: textsOf(differences, 'problem'),
    notes: textsOf(differences, 'note'),
  };
};

/** What ends the differences of a topic, as one change of its settings and a number of partitions. */
const mendingOf = (differences: readonly Difference[]) => ({
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
  const gone = new Set(
    await missingTopics(
      cluster,
      named.map(({ name }) => name),
    ),
  );
  const here = named.filter(({ name }) => !gone.has(name)).map(({ name }) => name);
  const settings = await describeSettings(cluster, here, watchedSettings);
  return named.map(({ topic, name }) => {
    if (gone.has(name)) return { topic, name, found: null };
    const copies = replicasOf(cluster, name);
    const found = {
      partitions: copies.length,
      replicas: Math.min(...copies),
      settings: settings.get(name) ?? new Map<string, string>(),
    };
    return { topic, name, found };
  });
};

const create = async (cluster: Cluster, looked: readonly FoundState[], replication: number): Promise<string[]> => {
  const missing = looked.filter(({ found }) => found === null);
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

/** @throws RelayError `partitions_in_use` while records wait for a group of the topic */
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
  looked: readonly FoundState[],
  { partitions: addsPartitions }: UpdateOptions,
): Promise<TopicChange[]> => {
  const { cluster } = parts;
  const due: { topic: string; set: Readonly<Record<string, string>>; partitions: number | undefined }[] = [];
  for (const each of looked) {
    const { set, partitions } = mendingOf(each.found ? differencesOf(each.topic, each.found) : []);
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
  /** Put before the names of topics and groups. */
  readonly prefix: string;
}

/** Opens the topic admin of these topics. @throws RelayError `bus_unavailable` from its calls when the brokers do not answer or refuse */
export const openTopicAdmin = (
  settings: KafkaSettings,
  wanted: readonly WantedTopic[],
  { log, clock }: { readonly log: Logger; readonly clock: Clock },
): TopicAdmin => {
  const cluster = createCluster({ settings, log });
  const parts: TopicAdminDependencies = { cluster, clock, prefix: settings.prefix };
  const look = (): Promise<FoundState[]> => readState(cluster, wanted, settings.prefix);
  return {
    check: () =>
      guarded(
        look().then((looked) =>
          looked.map(({ topic, name, found }) => (found ? stateOf(name, topic, found) : absent(name))),
        ),
      ),
    create: (replication = 0) => guarded(look().then((looked) => create(cluster, looked, replication))),
    update: (options) => guarded(look().then((looked) => update(parts, looked, options))),
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
