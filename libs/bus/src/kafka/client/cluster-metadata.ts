import { RelayError } from '@ranger-relay/errors';
import { type Clock, shareFlight } from '@ranger-relay/runtime';
import type { Broker, Cluster } from './cluster.ts';
import { readTopicStates } from '../wire/topic-states.ts';
import { type FailureTracker, isTopicRefused, isUnknownTopic, problemOf, unavailable } from './problems.ts';

/** Dependencies of the search for partitions whose leader has moved. */
interface SearchDependencies {
  readonly metadata: Pick<ClusterMetadata, 'refresh'>;
  readonly clock: Clock;
  readonly failures: Pick<FailureTracker, 'failed'>;
  /** Wait before the request, ms, so that the brokers can elect a leader. */
  readonly pauseMs: number;
  readonly closed: () => boolean;
  /** Called after the request, whether it succeeded or not, so that the caller retries. */
  readonly onEnd: () => void;
}

/** Refreshes the metadata after a short wait; calls made meanwhile share the request. */
export const createSearch = ({
  metadata,
  clock,
  failures,
  pauseMs,
  closed,
  onEnd,
}: SearchDependencies): (() => void) => {
  let scheduled = false;
  return () => {
    if (scheduled) return;
    scheduled = true;
    void clock
      .sleep(pauseMs)
      .then(() => (closed() ? undefined : metadata.refresh()))
      .catch((error: unknown) => failures.failed('', problemOf(error).message))
      .finally(() => {
        scheduled = false;
        onEnd();
      });
  };
};

/** The metadata of topics in one client: partitions and their leaders. */
export interface ClusterMetadata {
  /**
   * Returns the number of partitions of a topic; loads its metadata when the client does not have it.
   * @throws RelayError `bus_topic_unknown`, `bus_unavailable`
   */
  partitions(topic: string): Promise<number>;
  /** Number of partitions of a topic whose metadata is loaded. */
  known(topic: string): number | undefined;
  /** Node id of a partition's leader; undefined while it is unknown. */
  leader(topic: string, partition: number): number | undefined;
  broker(nodeId: number): Promise<Broker>;
  /** Id of a topic as the brokers told it last; undefined where they have none, or do not know the topic. */
  topicId(topic: string): string | undefined;
  /** Asks the brokers for the id that a topic has now. @throws RelayError `bus_unavailable` */
  askTopicId(topic: string): Promise<string | undefined>;
  /** Refreshes the metadata, at most every 100 ms; calls made meanwhile share the request. */
  refresh(): Promise<void>;
  /** Refreshes the metadata when it is old. */
  refreshWhenOld(): Promise<void>;
}

interface TopicMetadata {
  readonly topic: string;
  readonly partitionMetadata: readonly { readonly partitionId: number; readonly leader: number }[];
}

/** The library sometimes replaces its set of topics, so the adapter reads the property each time. */
interface ClusterInternals {
  readonly targetTopics: Set<string>;
  readonly brokerPool: { readonly metadata: { readonly topicMetadata: readonly TopicMetadata[] } | null };
}

const minBetweenMs = 100;

export const createClusterMetadata = (cluster: Cluster, clock: Clock): ClusterMetadata => {
  const internals = cluster as unknown as ClusterInternals;
  /** Every topic that the brokers ever had: a topic that they do not know now may return. */
  const knownTopics = new Set<string>();
  const ids = new Map<string, string>();
  let seen: unknown;
  let leaders = new Map<string, number[]>();
  let refreshedAt = -Infinity;

  /** Leaders by topic, computed again only when the library has new metadata. */
  const current = (): Map<string, number[]> => {
    const { metadata } = internals.brokerPool;
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

  /** A missing topic fails the request for all topics; in that case each topic is requested alone. */
  const requestAll = async (): Promise<void> => {
    await cluster.connect();
    try {
      await cluster.refreshMetadata();
    } catch (error) {
      if (!isTopicRefused(error)) throw error;
      internals.targetTopics.clear();
    }
    for (const topic of knownTopics)
      if (!internals.targetTopics.has(topic))
        await cluster.addTargetTopic(topic).catch((cause: unknown) => {
          if (!isTopicRefused(cause)) throw cause;
        });
  };

  const loadIds = async (topics: readonly string[]): Promise<void> => {
    for (const { topic, id } of await readTopicStates(cluster, topics)) {
      if (id === undefined) ids.delete(topic);
      else ids.set(topic, id);
    }
  };

  const refresh = shareFlight(async (): Promise<void> => {
    const wait = refreshedAt + minBetweenMs - clock.monotonic();
    if (wait > 0) await clock.sleep(wait);
    refreshedAt = clock.monotonic();
    await requestAll();
    await loadIds([...knownTopics]);
  });

  return {
    async partitions(topic) {
      const known = current().get(topic);
      if (known) return known.length;
      try {
        await cluster.connect();
        await cluster.addTargetTopic(topic);
        // An earlier request for this topic failed, and the library does not repeat it.
        if (!current().has(topic)) await refresh();
        await loadIds([topic]);
      } catch (error) {
        if (isUnknownTopic(error)) throw new RelayError('bus_topic_unknown', { details: { topic }, cause: error });
        throw unavailable(error);
      }
      const count = current().get(topic)?.length;
      if (count === undefined) throw new RelayError('bus_topic_unknown', { details: { topic } });
      knownTopics.add(topic);
      return count;
    },
    topicId: (topic) => ids.get(topic),
    async askTopicId(topic) {
      await loadIds([topic]).catch((error: unknown) => {
        throw unavailable(error);
      });
      return ids.get(topic);
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
