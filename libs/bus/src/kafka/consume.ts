import { isRelayError } from '@ranger-relay/errors';
import {
  type Clock,
  endsWithin,
  type Logger,
  type MetricName,
  type Metrics,
  type Random,
  type RateLimitedLog,
} from '@ranger-relay/runtime';
import { createDeadLetterWriter } from '../consume/delivery.ts';
import { type ReportLost, reportLostTo } from '../consume/lost-records.ts';
import {
  canFetch,
  type ConsumeRules,
  type ConsumeSettings,
  lagOf,
  oldestOf,
  type PartitionSource,
  settingsOf,
  showLag,
  startPartition,
  unnoticedMs,
} from '../consume/partition.ts';
import type { Bus, ConsumeOptions, Subscription } from '../port.ts';
import type { Cluster } from './client/cluster.ts';
import type { Ends, ReadLastRecord } from './fetch/ends.ts';
import type { Fetcher } from './fetch/fetcher.ts';
import { createReader, type PartitionReader } from './fetch/source.ts';
import { createCoordinator } from './group/coordinator.ts';
import { createDoneRecords } from './group/delete-done.ts';
import { type Member, startMember } from './group/member.ts';
import { type Commits, createCommits, type KafkaStart, startsOf } from './group/offsets.ts';
import { createWork, type PartitionWork, type WorkingPartition } from './group/work.ts';

export interface ConsumeDependencies {
  /** Adds the prefix to the name of a topic or group. */
  readonly withPrefix: (name: string) => string;
  /** Creates a client for one member, because a join blocks its connection. */
  readonly client: () => Cluster;
  /** Number of partitions of a topic; all reading clients load its metadata. */
  readonly partitions: (topic: string) => Promise<number>;
  /** Id that a topic has now; undefined where the brokers have none. */
  readonly topicId: (topic: string) => Promise<string | undefined>;
  /** `fetcher` waits for new records; `offsetFetcher` reads existing records, in requests that never wait. */
  readonly fetcher: Fetcher;
  readonly offsetFetcher: Fetcher;
  readonly ends: Ends;
  readonly readLastRecord: ReadLastRecord;
  readonly publish: Bus['publish'];
  readonly rules: ConsumeRules;
  readonly sessionTimeoutMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly limitedLog: RateLimitedLog;
  readonly metrics: Metrics<MetricName>;
}

/** Maximum wait of `consume` for the first assignment, ms; afterwards the member continues to join. */
const maxJoinWaitMs = 10_000;
const rebalanceMs = 30_000;

/** What a partition uses of its member. */
interface OwnershipDependencies {
  readonly commits: Commits;
  /** Whether the session of the member has not expired, as far as is known here. */
  readonly owned: () => boolean;
}

const sourceOf = (
  parts: ConsumeDependencies,
  settings: ConsumeSettings,
  { commits, owned }: OwnershipDependencies,
  {
    partition,
    topicId,
    reader,
  }: { readonly partition: number; readonly reader: PartitionReader } & Pick<KafkaStart, 'topicId'>,
): PartitionSource => ({
  fetch: reader.fetch,
  lag: async (done) => Math.max(0, Number(reader.end() - done())),
  failingSince: reader.failingSince,
  commit: (offset, announced) => commits.commit(partition, { offset, announced, topicId }),
  commitNow: (offset, announced) => commits.commitNow(partition, { offset, announced, topicId }),
  owned,
  deadLetter: createDeadLetterWriter(parts, settings),
});

/** Runs one partition of one member. */
const startOne = (
  parts: ConsumeDependencies,
  settings: ConsumeSettings,
  ownership: OwnershipDependencies,
  partition: number,
  start: KafkaStart,
  lost: ReportLost,
  broken: (error: unknown) => void,
): WorkingPartition => {
  const topic = parts.withPrefix(settings.topic);
  const reading = new AbortController();
  const { topicId } = start;
  const reader = createReader({
    topic,
    topicId,
    partition,
    fetcher: parts.fetcher,
    offsetFetcher: parts.offsetFetcher,
    news: () => running.notify(),
    earliest: async () => (await parts.ends.earliest(topic, [partition])).get(partition) ?? 0n,
    lost: (from, to) => lost({ partition, reason: 'retention', from, to }),
    broken,
    signal: reading.signal,
  });
  const source = sourceOf(parts, settings, ownership, { partition, topicId, reader });
  const running = startPartition({ ...parts, partition, start, settings, source });
  return {
    ...running,
    end: () => reading.abort(new DOMException('the partition is being revoked', 'AbortError')),
  };
};

/** Since when the member has no settled assignment, ms since 1970; null while it has one, or had one until just now. */
const unsettledSince = (member: Member, clock: Clock): number | null => {
  const ms = member.unsettledMs();
  return ms > unnoticedMs ? clock.now() - ms : null;
};

const subscriptionOf = (
  parts: ConsumeDependencies,
  member: Member,
  work: PartitionWork,
  closed: () => Promise<void>,
): Subscription => {
  let closing: Promise<void> | undefined;
  const close = async (deadlineMs: number): Promise<void> => {
    await member.leave(deadlineMs);
    await closed();
  };
  return {
    assigned: () => work.owned(),
    ready: () => !closing && member.ready() && work.running().every(canFetch),
    alive: () => work.running().every((partition) => partition.alive()),
    oldestPending: () => oldestOf([...work.running(), { oldest: () => unsettledSince(member, parts.clock) }]),
    lag: () => lagOf(work.running()),
    wake: (lane) => {
      for (const partition of work.running()) partition.wake(lane);
    },
    close: (deadlineMs = parts.rules.closeMs) => (closing ??= close(deadlineMs)),
  };
};

/** Number of partitions of topics; while a topic is missing, as many as it had: its members keep them until they read another topic of the name. */
const createPartitionCount = (partitions: ConsumeDependencies['partitions']): ((topic: string) => Promise<number>) => {
  const last = new Map<string, number>();
  return async (topic) => {
    try {
      last.set(topic, await partitions(topic));
    } catch (error) {
      if (!isRelayError(error, 'bus_topic_unknown')) throw error;
    }
    return last.get(topic) ?? 0;
  };
};

const joinedWithin = async (joined: Promise<void>, clock: Clock): Promise<void> => {
  await endsWithin({ clock, ms: maxJoinWaitMs }, joined);
};

/** A consumer of this adapter. */
export interface KafkaSubscription extends Subscription {
  /** The topic, with prefix. */
  readonly topic: string;
  /** Resolves when the member has joined, or after a while when the brokers are unavailable. */
  readonly begun: Promise<void>;
  /** The reason why the consumer does not work, as a text for operators; null when it works. */
  failure(): string | null;
}

/** Starts a consumer, which is one member of the group. */
export const startConsumer = (
  parts: ConsumeDependencies,
  options: ConsumeOptions,
  ended: (subscription: KafkaSubscription, cluster: Cluster) => void,
): KafkaSubscription => {
  const { clock, random, log, partitions, rules, sessionTimeoutMs } = parts;
  const settings = settingsOf(options);
  const { from } = settings;
  const [topic, group] = [parts.withPrefix(settings.topic), parts.withPrefix(settings.group)];
  const cluster = parts.client();
  const coordinator = createCoordinator(cluster, group, clock);
  const membership = (): ReturnType<Member['membership']> => member.membership();
  const done = settings.deleteDone ? createDoneRecords(cluster, topic, clock, log) : undefined;
  const commits = createCommits(coordinator, topic, membership, clock, log, done?.stored);
  const lost = reportLostTo(log, parts.metrics, settings);
  const ownership = { commits, owned: () => member.owned() };
  const starts = {
    topic,
    from,
    doubts: settings.doubts,
    coordinator,
    ends: parts.ends,
    topicId: () => parts.topicId(topic),
    readLastRecord: parts.readLastRecord,
    membership,
    lost,
    clock,
    log,
  };
  const work = createWork({
    topic,
    async starts(wanted, undone) {
      // The library loads the metadata of the topic only for the group leader, but every member that reads needs it.
      await partitions(topic);
      return startsOf(starts, wanted, undone);
    },
    startOne: (partition, start, broken) => startOne(parts, settings, ownership, partition, start, lost, broken),
    commits,
    handOverMs: rules.closeMs,
    clock,
    log,
  });
  const member: Member = startMember({
    topic,
    coordinator,
    work,
    waits: {
      sessionMs: sessionTimeoutMs,
      rebalanceMs,
      heartbeatMs: Math.max(100, Math.round(sessionTimeoutMs / 10)),
      handOverMs: rules.closeMs,
    },
    partitionsOf: createPartitionCount(partitions),
    clock,
    random,
    log: log.child({ group }),
  });
  const closed = Promise.withResolvers<void>();
  const subscription: KafkaSubscription = {
    ...subscriptionOf(parts, member, work, async () => {
      done?.stop();
      await cluster.disconnect().catch(() => undefined);
      ended(subscription, cluster);
      closed.resolve();
    }),
    topic,
    begun: joinedWithin(Promise.race([member.joined, closed.promise]), clock),
    failure: () => member.failure() ?? work.failure() ?? commits.failure(),
  };
  showLag(parts.metrics, settings, subscription);
  return subscription;
};
