import { RelayError } from '@ranger-relay/errors';
import {
  type Clock,
  createRateLimitedLog,
  type Logger,
  type MetricName,
  type Metrics,
  type Random,
} from '@ranger-relay/runtime';
import type { LostRecords } from '../consume/lost-records.ts';
import { type ConsumeRules, defaultRules } from '../consume/partition.ts';
import { doneIn, firstCommit } from '../consume/commit.ts';
import { createPendingCounter, type PendingCounter, type Reach } from '../pending-counter.ts';
import type { Bus, ConsumeOptions, PendingKey, Subscription, TopicProblem } from '../port.ts';
import { type Cluster, createCluster } from './client/cluster.ts';
import { createClusterMetadata } from './client/cluster-metadata.ts';
import { unavailable } from './client/problems.ts';
import type { KafkaSettings } from './client/settings.ts';
import { type ConsumeDependencies, type KafkaSubscription, startConsumer } from './consume.ts';
import { createEnds, createLastRecordReader } from './fetch/ends.ts';
import { createFetcher } from './fetch/fetcher.ts';
import { createUnreadable } from './fetch/unreadable.ts';
import { createCoordinator, usableCommit } from './group/coordinator.ts';
import { createPublisher } from './publish/publish.ts';
import { createSender } from './publish/sender.ts';
import { readTopic } from './read.ts';
import { startWatch } from './watch.ts';
import type { TopicOperation } from './wire/topic-states.ts';

/** A topic that a process uses. */
export interface KafkaTopic {
  readonly name: string;
  /** Maximum size of a record, bytes. */
  readonly maxRecordBytes: number;
  /** Operations for which the process needs the permission; none when left out. */
  readonly operations?: readonly TopicOperation[];
}

/** Options of `openKafkaBus`. */
export interface KafkaBusOptions {
  readonly settings: KafkaSettings;
  /** Topics that the process uses. */
  readonly topics: readonly KafkaTopic[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics<MetricName>;
  /** Told of records that a group lost undone. */
  readonly onLost?: (lost: LostRecords) => void;
  /** Overrides bounds and waits of consumers. */
  readonly rules?: Partial<ConsumeRules>;
}

/** The bus on a Kafka cluster. */
export interface KafkaBus extends Bus {
  /** The reason why the bus is not ready, as a text for operators; null when it is. Problems of single topics are no reason. */
  problem(): string | null;
}

const closeMs = 3_000;

/**
 * Opens the bus on a Kafka cluster (version 2.3 or newer). It connects in the background and waits for unavailable
 * brokers; `ready` is true when they answer.
 */
export const openKafkaBus = (options: KafkaBusOptions): KafkaBus => {
  const { settings, clock, random, log, metrics } = options;
  const rules = { ...defaultRules, ...options.rules };
  const { prefix } = settings;
  const withPrefix = (name: string): string => prefix + name;
  const limits = new Map(options.topics.map(({ name, maxRecordBytes }) => [withPrefix(name), maxRecordBytes]));
  const clusters = new Set<Cluster>();
  const client = (): Cluster => {
    const cluster = createCluster({ settings, log });
    clusters.add(cluster);
    return cluster;
  };
  const publishing = createClusterMetadata(client(), clock);
  const reader = client();
  const metadata = createClusterMetadata(reader, clock);
  const withoutPrefix = (topic: string): string => topic.slice(prefix.length);
  const unreadable = createUnreadable(clock, log, metrics);
  const fetcher = createFetcher({ metadata, clock, log, nameOf: withoutPrefix, unreadable });
  const offsetFetcher = createFetcher({ metadata: publishing, clock, log, nameOf: withoutPrefix, unreadable });
  const ends = createEnds(reader, metadata, clock);
  const watched = options.topics.map(({ name, operations = [], maxRecordBytes }) => ({
    name: withPrefix(name),
    operations,
    maxRecordBytes,
  }));
  const watch = startWatch(client(), [metadata, publishing], watched, clock, log);
  const sender = createSender({ metadata: publishing, clock, log });
  const maxRecordBytes = (topic: string): number => limits.get(topic) ?? 0;
  const publisher = createPublisher({ metadata: publishing, sender, clock, metrics, maxRecordBytes });
  const subscriptions = new Set<KafkaSubscription>();
  const counters = new Map<string, { readonly topicId: string | undefined; readonly counter: PendingCounter }>();
  const closing = new AbortController();
  let closed: Promise<void> | undefined;

  const known = (name: string): string => {
    if (!limits.has(withPrefix(name))) throw new RelayError('bus_topic_unknown', { details: { topic: name } });
    return withPrefix(name);
  };
  const publish: Bus['publish'] = async (name, records, more) => publisher.publish(known(name), records, more);

  /** Loads the metadata in both clients: one reads existing records, the other waits for new ones. */
  const partitions = async (topic: string): Promise<number> =>
    (await Promise.all([metadata, publishing].map((each) => each.partitions(topic))))[0] ?? 0;

  const readLastRecord = createLastRecordReader({ partitions, offsetFetcher, ends, closing: closing.signal });
  const consumeParts: ConsumeDependencies = {
    withPrefix,
    client,
    partitions,
    topicId: metadata.askTopicId,
    fetcher,
    offsetFetcher,
    ends,
    readLastRecord,
    publish,
    rules,
    sessionTimeoutMs: settings.sessionTimeoutMs,
    clock,
    random,
    log,
    limitedLog: createRateLimitedLog({ log, clock }),
    metrics,
    onLost: options.onLost,
  };

  const coordinators = new Map<string, ReturnType<typeof createCoordinator>>();
  const coordinatorOf = (group: string): ReturnType<typeof createCoordinator> => {
    const coordinator = coordinators.get(group) ?? createCoordinator({ cluster: reader, groupId: group, clock });
    coordinators.set(group, coordinator);
    return coordinator;
  };

  const committed = async (group: string, topic: string, partitions: readonly number[]) => {
    try {
      return await coordinatorOf(withPrefix(group)).committed(topic, partitions);
    } catch (error) {
      throw unavailable(error);
    }
  };

  const readParts = {
    partitions,
    topicId: metadata.askTopicId,
    fetcher,
    offsetFetcher,
    ends,
    committed,
    closing: closing.signal,
  };

  /** What was counted of a deleted topic does not wait in the one that has its name now. */
  const counterOf = (topic: string, topicId: string | undefined, group: string): PendingCounter => {
    const id = JSON.stringify([topic, group]);
    const known = counters.get(id);
    if (known && known.topicId === topicId) return known.counter;
    const counter = createPendingCounter((partition, from, to) => countRange({ topic, topicId, partition }, from, to));
    counters.set(id, { topicId, counter });
    return counter;
  };

  const reachesOf = async (
    topic: string,
    topicId: string | undefined,
    group: string,
  ): Promise<ReadonlyMap<number, Reach>> => {
    const all = Array.from({ length: await partitions(topic) }, (_, index) => index);
    const commits = await committed(group, topic, all);
    const [first, last] = await Promise.all([ends.earliest(topic, all), ends.latest(topic, all)]);
    return new Map(
      all.map((partition) => {
        const start = first.get(partition) ?? 0n;
        const end = last.get(partition) ?? start;
        const { offset, done } = usableCommit(commits.get(partition), topicId, end) ?? firstCommit(start);
        return [partition, { committed: offset > start ? offset : start, done: doneIn(done, end), end }];
      }),
    );
  };

  const pending = async (name: string, group: string): Promise<readonly PendingKey[]> => {
    const topic = known(name);
    try {
      const topicId = await metadata.askTopicId(topic);
      return await counterOf(topic, topicId, group).count(() => reachesOf(topic, topicId, group));
    } catch (error) {
      throw unavailable(error);
    }
  };

  /** Skips a batch that cannot be read: its records can be neither counted nor sent, and must not delay others. */
  async function* countRange(
    where: { topic: string; topicId: string | undefined; partition: number },
    from: bigint,
    to: bigint,
  ) {
    for (let next = from; next < to;) {
      const request = { ...where, from: next, maxBytes: 1_048_576, tolerant: true };
      const { records, next: behind, unreadable: found } = await offsetFetcher.fetch(request, closing.signal);
      if (found && found.behind === null) return;
      next = found?.behind ?? behind;
      yield { records: records.filter(({ offset }) => offset < to), to: next < to ? next : to };
    }
  }

  const problem = (): string | null => watch.problem() ?? sender.failures().get('') ?? null;

  /** Whatever the checks see stays a problem until they see it gone; a failed request is one only for a while. */
  const topicProblems = (): TopicProblem[] => {
    const joining = [...subscriptions].flatMap((each) => {
      const failure = each.failure();
      return failure === null ? [] : [[each.topic, failure] as const];
    });
    const found = new Map([...joining, ...fetcher.failures(), ...sender.failures(), ...watch.topics()]);
    found.delete('');
    return [...found].map(([topic, what]) => ({
      topic: withoutPrefix(topic),
      problem: what,
      isMissing: watch.missing().has(topic) && metadata.known(topic) === undefined,
    }));
  };

  const close = async (): Promise<void> => {
    await Promise.all([...subscriptions].map((subscription) => subscription.close()));
    await publisher.close(closeMs);
    closing.abort(new DOMException('the bus is closed', 'AbortError'));
    watch.stop();
    fetcher.close();
    offsetFetcher.close();
    await Promise.all([...clusters].map((cluster) => cluster.disconnect().catch(() => undefined)));
  };

  const consume = async (...wanted: readonly [ConsumeOptions, ConsumeOptions?]): Promise<readonly Subscription[]> => {
    for (const each of wanted) if (each) known(each.topic);
    if (closed) throw new RelayError('bus_unavailable', { details: { reason: 'it is closed' } });
    const started = startConsumer(consumeParts, wanted, (ended, used) => {
      for (const each of ended) subscriptions.delete(each);
      for (const each of used) clusters.delete(each);
    });
    for (const each of started) subscriptions.add(each);
    await started[0]?.begun;
    return started;
  };

  return {
    publish,
    consume: async (wanted) => (await consume(wanted))[0] as Subscription,
    consumeTogether: async (first, second) => (await consume(first, second)) as [Subscription, Subscription],
    read: (read) => readTopic(readParts, read, known),
    pending,
    lastRecords: async (name, time) => readLastRecord(known(name), time),
    ready: () => problem() === null && !closed,
    problem,
    topicProblems,
    lowLimits: () =>
      [...watch.lowLimits().values()].map(({ topic, takes, allowed }) => ({
        topic: withoutPrefix(topic),
        takes,
        allowed,
      })),
    close: () => (closed ??= close()),
  };
};
