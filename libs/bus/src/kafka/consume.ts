import { isRelayError, RelayError } from '@ranger-relay/errors';
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
import { type LostRecords, type ReportLost, reportLostTo } from '../consume/lost-records.ts';
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
import { type Coordinator, createCoordinator } from './group/coordinator.ts';
import { createDoneRecords } from './group/delete-done.ts';
import { type Member, startMember } from './group/member.ts';
import { type Commits, createCommits, type KafkaStart, startsOf } from './group/offsets.ts';
import { createWork, type PartitionWork, type WorkingPartition } from './group/work.ts';

export interface ConsumeDependencies {
  /** Adds the prefix to the name of a topic or group. */
  readonly withPrefix: (name: string) => string;
  /** Creates a client; each member has one for its joins, which block their connection, and one for its other calls. */
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
  readonly onLost?: ((lost: LostRecords) => void) | undefined;
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
  commit: (commit) => commits.commit(partition, { ...commit, topicId }),
  commitNow: (commit) => commits.commitNow(partition, { ...commit, topicId }),
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
    endAtStart: start.end,
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

/** What a member does of one topic. */
interface TopicWork {
  readonly settings: ConsumeSettings;
  /** With prefix. */
  readonly topic: string;
  readonly work: PartitionWork;
  failure(): string | null;
  stop(): void;
}

const subscriptionOf = (
  parts: ConsumeDependencies,
  member: Member,
  { topic, work, failure }: TopicWork,
  {
    begun,
    closing,
    close,
  }: { begun: Promise<void>; closing: () => boolean; close: (deadlineMs: number) => Promise<void> },
): KafkaSubscription => ({
  topic,
  begun,
  failure: () => member.failure() ?? failure(),
  assigned: () => work.owned(),
  undone: (partition) => work.runningOf(partition)?.undone ?? null,
  ready: () => !closing() && member.ready() && work.running().every(canFetch),
  alive: () => work.running().every((partition) => partition.alive()),
  oldestPending: () => oldestOf([...work.running(), { oldest: () => unsettledSince(member, parts.clock) }]),
  lag: () => lagOf(work.running()),
  wake: (lane) => {
    for (const partition of work.running()) partition.wake(lane);
  },
  close: (deadlineMs = parts.rules.closeMs) => close(deadlineMs),
});

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

/** What a member is made of, for each of its topics. */
interface Membered {
  readonly cluster: Cluster;
  readonly coordinator: Coordinator;
  readonly member: () => Member;
}

const startWork = (
  parts: ConsumeDependencies,
  settings: ConsumeSettings,
  { cluster, coordinator, member }: Membered,
  checkPartitions: () => Promise<unknown>,
  begun: (partition: number, running: WorkingPartition) => WorkingPartition = (_, running) => running,
): TopicWork => {
  const { clock, log, rules } = parts;
  const topic = parts.withPrefix(settings.topic);
  const membership = (): ReturnType<Member['membership']> => member().membership();
  const done = settings.deleteDone ? createDoneRecords(cluster, topic, clock, log) : undefined;
  const commits = createCommits(coordinator, topic, membership, clock, log, done?.stored);
  const lost = reportLostTo(parts, settings);
  const ownership = { commits, owned: () => member().owned() };
  const starts = {
    topic,
    from: settings.from,
    maybeSentAtTakeOver: settings.maybeSentAtTakeOver,
    coordinator,
    ends: parts.ends,
    topicId: () => parts.topicId(topic),
    readLastRecord: parts.readLastRecord,
    membership,
    clock,
    log,
  };
  const work = createWork({
    topic,
    lost,
    async starts(wanted, undone, onLost) {
      // The library loads the metadata of the topic only for the group leader, but every member that reads needs it.
      await checkPartitions();
      return startsOf({ ...starts, lost: onLost }, wanted, undone);
    },
    startOne: (partition, start, broken) =>
      begun(partition, startOne(parts, settings, ownership, partition, start, lost, broken)),
    commits: {
      flush: commits.flush,
      drop(partitions) {
        commits.drop(partitions);
        done?.forget(partitions);
      },
    },
    handOverMs: rules.closeMs,
    clock,
    log,
  });
  return {
    settings,
    topic,
    work,
    failure: () => work.failure() ?? commits.failure(),
    stop: () => done?.stop(),
  };
};

/** Makes the partitions of a topic follow those of another one; what is wrong with it does not delay the other. */
const following =
  ({ work }: TopicWork) =>
  (partition: number, running: WorkingPartition): WorkingPartition => {
    const over = new AbortController();
    void work.start([partition], over.signal);
    return {
      ...running,
      async stop(deadlineMs) {
        over.abort();
        await Promise.all([running.stop(deadlineMs), work.stop([partition], deadlineMs)]);
      },
    };
  };

/** @throws RelayError `bus_unavailable` when two topics do not have as many partitions */
const checkSame = async ({ partitions }: ConsumeDependencies, first: string, second: string): Promise<void> => {
  const [most, count] = [await partitions(first), await partitions(second)];
  if (most === count) return;
  const reason = `${second} has ${count} partitions and ${first} ${most}; both must have as many, which \`ranger-relay topics apply\` sees to`;
  throw new RelayError('bus_unavailable', { details: { reason } });
};

/** Starts a consumer, which is one member of the group; with a second topic, of both. Returns a subscription for each. */
export const startConsumer = (
  parts: ConsumeDependencies,
  options: readonly [ConsumeOptions, ConsumeOptions?],
  ended: (subscriptions: readonly KafkaSubscription[], clusters: readonly Cluster[]) => void,
): readonly KafkaSubscription[] => {
  const { clock, random, log, partitions, rules, sessionTimeoutMs } = parts;
  const [first, second] = [settingsOf(options[0]), options[1] && settingsOf(options[1])];
  const [topic, group] = [parts.withPrefix(first.topic), parts.withPrefix(first.group)];
  const [cluster, joins] = [parts.client(), parts.client()];
  const coordinator = createCoordinator({ cluster, joins, groupId: group, clock });
  const membered = { cluster, coordinator, member: () => member };
  const beside =
    second && startWork(parts, second, membered, () => checkSame(parts, topic, parts.withPrefix(second.topic)));
  const leading = startWork(parts, first, membered, () => partitions(topic), beside && following(beside));
  const works = beside ? [leading, beside] : [leading];
  const member: Member = startMember({
    topic,
    coordinator,
    work: leading.work,
    waits: {
      sessionMs: sessionTimeoutMs,
      rebalanceMs,
      heartbeatMs: Math.max(100, Math.round(sessionTimeoutMs / 10)),
      handOverMs: rules.closeMs,
    },
    keepsWhileAway: first.maybeSentAtTakeOver === 'undone',
    partitionsOf: createPartitionCount(partitions),
    clock,
    random,
    log: log.child({ group }),
  });
  const closed = Promise.withResolvers<void>();
  let closing: Promise<void> | undefined;
  const close = async (deadlineMs: number): Promise<void> => {
    await member.leave(deadlineMs);
    for (const each of works) each.stop();
    await Promise.allSettled([cluster.disconnect(), joins.disconnect()]);
    ended(subscriptions, [cluster, joins]);
    closed.resolve();
  };
  const state = {
    begun: joinedWithin(Promise.race([member.joined, closed.promise]), clock),
    closing: () => closing !== undefined,
    close: (deadlineMs: number) => (closing ??= close(deadlineMs)),
  };
  const subscriptions = works.map((each) => subscriptionOf(parts, member, each, state));
  for (const [index, { settings }] of works.entries())
    showLag(parts.metrics, settings, subscriptions[index] as KafkaSubscription);
  return subscriptions;
};
