import { RelayError } from '@ranger-relay/errors';
import { type Clock, shareFlight } from '@ranger-relay/runtime';
import type { Broker, Cluster } from './cluster.ts';
import { type FailureTracker, isTopicRefused, isUnknownTopic, problemOf, unavailable } from './problems.ts';

/** What looking for partitions that were not where they should be needs. */
interface SearchDependencies {
  readonly layout: Pick<ClusterMetadata, 'refresh'>;
  readonly clock: Clock;
  readonly trouble: Pick<FailureTracker, 'failed'>;
  /** Wait before the question, ms: a leader is chosen meanwhile. */
  readonly pauseMs: number;
  readonly closed: () => boolean;
  /** Whether or not there was an answer: what was lost is tried again. */
  readonly onEnd: () => void;
}

/** Asks, after a short wait, where partitions lie now; calls made meanwhile share the question. */
export const createSearch = ({ layout, clock, trouble, pauseMs, closed, onEnd }: SearchDependencies): (() => void) => {
  let looking = false;
  return () => {
    if (looking) return;
    looking = true;
    void clock
      .sleep(pauseMs)
      .then(() => (closed() ? undefined : layout.refresh()))
      .catch((error: unknown) => trouble.failed('', problemOf(error).message))
      .finally(() => {
        looking = false;
        onEnd();
      });
  };
};

/** Where the partitions of topics lie, as one client knows it. */
export interface ClusterMetadata {
  /**
   * Learns a topic and answers how many partitions it has.
   * @throws RelayError `bus_topic_unknown`, `bus_unavailable`
   */
  partitions(topic: string): Promise<number>;
  /** How many partitions a topic has that was learnt before. */
  known(topic: string): number | undefined;
  /** Node that leads a partition; undefined while it is not known. */
  leader(topic: string, partition: number): number | undefined;
  broker(nodeId: number): Promise<Broker>;
  /** Asks anew, at most every 100 ms; calls made meanwhile share the answer. */
  refresh(): Promise<void>;
  /** Asks anew when the last answer is old. */
  refreshWhenOld(): Promise<void>;
}

interface TopicMetadata {
  readonly topic: string;
  readonly partitionMetadata: readonly { readonly partitionId: number; readonly leader: number }[];
}

/** The library puts a new set in the place of its topics at times: it is looked up, not kept. */
interface Inner {
  readonly targetTopics: Set<string>;
  readonly brokerPool: { readonly metadata: { readonly topicMetadata: readonly TopicMetadata[] } | null };
}

const minBetweenMs = 100;

/** Makes the layout of a client. */
export const createClusterMetadata = (cluster: Cluster, clock: Clock): ClusterMetadata => {
  const inner = cluster as unknown as Inner;
  /** Every topic that was found once: one that the brokers do not know now may come back. */
  const learnt = new Set<string>();
  let seen: unknown;
  let leaders = new Map<string, number[]>();
  let refreshedAt = -Infinity;

  /** Leaders by topic, read again only when the library has a new answer. */
  const current = (): Map<string, number[]> => {
    const { metadata } = inner.brokerPool;
    if (seen === metadata) return leaders;
    seen = metadata;
    leaders = new Map();
    for (const { topic, partitionMetadata } of metadata?.topicMetadata ?? []) {
      const found: number[] = [];
      for (const { partitionId, leader } of partitionMetadata) found[partitionId] = leader;
      if (found.length > 0) leaders.set(topic, found);
    }
    return leaders;
  };

  /** One topic that is gone fails the question for all of them: then each is asked for alone. */
  const askForAll = async (): Promise<void> => {
    await cluster.connect();
    try {
      await cluster.refreshMetadata();
    } catch (error) {
      if (!isTopicRefused(error)) throw error;
      inner.targetTopics.clear();
    }
    for (const topic of learnt)
      if (!inner.targetTopics.has(topic))
        await cluster.addTargetTopic(topic).catch((cause: unknown) => {
          if (!isTopicRefused(cause)) throw cause;
        });
  };

  const refresh = shareFlight(async (): Promise<void> => {
    const wait = refreshedAt + minBetweenMs - clock.monotonic();
    if (wait > 0) await clock.sleep(wait);
    refreshedAt = clock.monotonic();
    await askForAll();
  });

  return {
    async partitions(topic) {
      const known = current().get(topic);
      if (known) return known.length;
      try {
        await cluster.connect();
        await cluster.addTargetTopic(topic);
        // It was asked for before, and that question failed: the library does not ask again by itself.
        if (!current().has(topic)) await refresh();
      } catch (error) {
        if (isUnknownTopic(error)) throw new RelayError('bus_topic_unknown', { details: { topic }, cause: error });
        throw unavailable(error);
      }
      const count = current().get(topic)?.length;
      if (count === undefined) throw new RelayError('bus_topic_unknown', { details: { topic } });
      learnt.add(topic);
      return count;
    },
    known: (topic) => current().get(topic)?.length,
    leader: (topic, partition) => {
      const node = current().get(topic)?.[partition];
      return node === undefined || node < 0 ? undefined : node;
    },
    broker: (nodeId) => cluster.findBroker({ nodeId: String(nodeId) }),
    refresh,
    async refreshWhenOld() {
      await cluster.connect();
      await cluster.refreshMetadataIfNecessary();
    },
  };
};
