import { RelayError } from '@ranger-relay/errors';
import { type Clock, shareFlight } from '@ranger-relay/runtime';
import type { PartitionMetadata } from 'kafkajs';
import type { Broker, Cluster } from './cluster.ts';
import { codes, protocolError } from '../wire/requests.ts';
import { readTopicStates, type TopicState } from '../wire/topic-states.ts';
import { type FailureTracker, problemOf, unavailable } from './problems.ts';

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
  /**
   * Asks the brokers for the id that a topic has now; undefined where they have no ids.
   * @throws RelayError `bus_unavailable`; `bus_topic_unknown`, also of a broker that has not heard of the topic yet
   */
  askTopicId(topic: string): Promise<string | undefined>;
  /** Refreshes the metadata, at most every 100 ms; calls made meanwhile share the request. */
  refresh(): Promise<void>;
  /** Refreshes the metadata when it is old, and has been asked for. */
  refreshWhenOld(): Promise<void>;
}

const minBetweenMs = 100;

const asUnavailable = (error: unknown): never => {
  throw unavailable(error);
};

export const createClusterMetadata = (cluster: Cluster, clock: Clock): ClusterMetadata => {
  /** What the brokers said last of each topic that was asked for: one that is missing may return. */
  const states = new Map<string, TopicState>();
  let refreshedAt = -Infinity;

  /** The partitions of a topic; empty while it is missing, or the client knows nothing yet. */
  const partitionsOf = (topic: string): PartitionMetadata[] => {
    try {
      return cluster.findTopicPartitionMetadata(topic);
    } catch {
      return [];
    }
  };

  const known = (topic: string): number | undefined => partitionsOf(topic).length || undefined;

  const loadStates = async (topics: readonly string[]): Promise<void> => {
    for (const state of await readTopicStates(cluster, topics)) states.set(state.topic, state);
  };

  const refresh = shareFlight(async (): Promise<void> => {
    const wait = refreshedAt + minBetweenMs - clock.monotonic();
    if (wait > 0) await clock.sleep(wait);
    refreshedAt = clock.monotonic();
    await cluster.connect();
    await cluster.refreshMetadata();
    await loadStates([...states.keys()]);
  });

  const load = async (topic: string): Promise<void> => {
    await cluster.connect();
    await cluster.addTargetTopic(topic);
    // The library loads only topics that are new to it.
    if (known(topic) === undefined) await refresh();
    await loadStates([topic]);
  };

  /** Why the brokers do not tell of a topic. */
  const refusal = (topic: string): RelayError => {
    const { code } = states.get(topic) ?? { code: codes.unknownTopic };
    return code === codes.none || code === codes.unknownTopic
      ? new RelayError('bus_topic_unknown', { details: { topic } })
      : unavailable(protocolError(code));
  };

  return {
    async partitions(topic) {
      if (known(topic) === undefined) await load(topic).catch(asUnavailable);
      const count = known(topic);
      if (count === undefined) throw refusal(topic);
      return count;
    },
    topicId: (topic) => states.get(topic)?.id,
    async askTopicId(topic) {
      await loadStates([topic]).catch(asUnavailable);
      const state = states.get(topic);
      if (state?.code !== codes.none) throw refusal(topic);
      return state.id;
    },
    known,
    leader(topic, partition) {
      const leader = partitionsOf(topic).find(({ partitionId }) => partitionId === partition)?.leader ?? -1;
      return leader < 0 ? undefined : leader;
    },
    broker: (nodeId) => cluster.findBroker({ nodeId: String(nodeId) }),
    refresh,
    async refreshWhenOld() {
      if (states.size === 0) return;
      await cluster.connect();
      await cluster.refreshMetadataIfNecessary();
    },
  };
};
