import type { LowLimit } from '../port.ts';
import { describeSettings } from './admin/calls.ts';
import { type Clock, type Logger, repeat } from '@ranger-relay/runtime';
import type { Cluster } from './client/cluster.ts';
import type { ClusterMetadata } from './client/cluster-metadata.ts';
import { problemOf } from './client/problems.ts';
import { codes, factsOf } from './wire/requests.ts';
import { readTopicStates, type TopicOperation, type TopicState } from './wire/topic-states.ts';

/** A topic to check, and the operations that this process needs on it. */
export interface WatchedTopic {
  readonly name: string;
  readonly operations: readonly TopicOperation[];
  /** Maximum size of a record, bytes. */
  readonly maxRecordBytes: number;
}

/** Checks regularly whether the brokers answer and which topics can be used. */
export interface Watch {
  /** The reason why the brokers cannot be used, as a text for operators; null when they answer. */
  problem(): string | null;
  /** The topics that cannot be used, with the reason; as last seen while the brokers do not answer. */
  topics(): ReadonlyMap<string, string>;
  /** Those of them that do not exist. */
  missing(): ReadonlySet<string>;
  /** The topics that this process writes and that take less than it may write, as last seen where their settings may be read. */
  lowLimits(): ReadonlyMap<string, LowLimit>;
  stop(): void;
}

const everyMs = 2_000;
/** Interval while there is a problem, ms: the bus is ready soon after it is solved. */
const soonMs = 500;
/** Settings change seldom, ms. */
const limitsEveryMs = 30_000;
const limitSetting = 'max.message.bytes';

/** Reads the states of topics, from any broker that answers, which tells the client of the others. @throws any error of the library when none answers */
export const topicStates = async (cluster: Cluster, topics: readonly string[]): Promise<TopicState[]> => {
  const states = await readTopicStates(cluster, topics);
  await cluster.addMultipleTargetTopics([...topics]);
  await cluster.refreshMetadataIfNecessary();
  return states;
};

const verbs: Readonly<Record<TopicOperation, string>> = { Read: 'read', Write: 'write to' };

/** The reason why a topic cannot be used; null when it can. */
const problemIn = ({ topic, code, permitted }: TopicState, operations: readonly TopicOperation[]): string | null => {
  if (code === codes.unknownTopic)
    return `${topic} is missing; create it, for example with \`ranger-relay topics apply\``;
  if (code !== codes.none) return `${topic}: ${factsOf(code).message}`;
  const denied = permitted && operations.find((operation) => !permitted.has(operation));
  return denied ? `the Kafka user of this process may not ${verbs[denied]} ${topic}; grant it ${denied}` : null;
};

/**
 * Starts the checks on a separate client, so that their requests do not queue behind others.
 * @param others are refreshed too: a client whose requests succeed learns of no new partition by itself
 */
export const startWatch = (
  cluster: Cluster,
  others: readonly Pick<ClusterMetadata, 'refreshWhenOld'>[],
  topics: readonly WatchedTopic[],
  clock: Clock,
  log: Logger,
): Watch => {
  const operationsOf = new Map(topics.map(({ name, operations }) => [name, operations]));
  const names = [...operationsOf.keys()];
  const unusable = new Map<string, string>();
  const missing = new Set<string>();
  const lowLimits = new Map<string, LowLimit>();
  let limitsAt = -Infinity;
  let problem: string | null = 'the brokers have not answered yet';
  let answered: boolean | undefined;
  let stopped = false;

  // The text of an outage changes with the broker that was tried last; log one line for all of them.
  const report = (now: string | null): void => {
    problem = now;
    if (answered === (now === null)) return;
    answered = now === null;
    if (answered) log.info({ topics: names.length }, 'the brokers answer');
    else log.error({ problem: now }, 'the bus is unusable');
  };

  const reportTopic = (topic: string, now: string | null): void => {
    const before = unusable.get(topic) ?? null;
    if (now === before) return;
    if (now === null) unusable.delete(topic);
    else unusable.set(topic, now);
    if (now === null) log.info({ topic }, 'a topic can be used again');
    else log.error({ topic, problem: now }, 'a topic cannot be used');
  };

  /** Without the right to read the settings of a topic, nothing is known of it. */
  const checkLimit = async ({ name: topic, maxRecordBytes: allowed }: WatchedTopic): Promise<void> => {
    const settings = await describeSettings(cluster, [topic], [limitSetting]).catch(() => undefined);
    const takes = Number(settings?.get(topic)?.get(limitSetting) ?? Number.NaN);
    if (takes < allowed) lowLimits.set(topic, { topic, takes, allowed });
    if (takes >= allowed) lowLimits.delete(topic);
  };

  const checkLimits = async (): Promise<void> => {
    if (clock.monotonic() < limitsAt + limitsEveryMs) return;
    limitsAt = clock.monotonic();
    const written = topics.filter(({ name, operations }) => operations.includes('Write') && !unusable.has(name));
    await Promise.all(written.map(checkLimit));
  };

  const check = async (): Promise<void> => {
    try {
      const states = await topicStates(cluster, names);
      if (stopped) return;
      for (const state of states) {
        reportTopic(state.topic, problemIn(state, operationsOf.get(state.topic) ?? []));
        if (state.code === codes.unknownTopic) missing.add(state.topic);
        else missing.delete(state.topic);
      }
      report(null);
      void Promise.allSettled(others.map((each) => each.refreshWhenOld()));
      await checkLimits();
    } catch (error) {
      if (!stopped) report(problemOf(error).message);
    }
  };
  const isWell = (): boolean => problem === null && unusable.size === 0;
  const stopChecking = repeat({ clock, everyMs: () => (isWell() ? everyMs : soonMs), firstMs: 0 }, check);

  return {
    problem: () => (stopped ? 'it is closed' : problem),
    topics: () => unusable,
    missing: () => missing,
    lowLimits: () => lowLimits,
    stop() {
      stopped = true;
      void stopChecking();
    },
  };
};
