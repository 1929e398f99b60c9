import type { Clock, Logger } from '@ranger-relay/runtime';
import type { Broker, Cluster } from '../client/cluster.ts';
import { problemOf } from '../client/problems.ts';

/** Deletes the records that a group has committed, on topics without a retention limit. */
export interface DoneRecords {
  /** Called with committed offsets by partition: the records before them may be deleted. */
  stored(offsets: ReadonlyMap<number, bigint>): void;
  /** The partitions are revoked, or are those of another topic of the name: what was stored of them says nothing more. */
  forget(partitions: readonly number[]): void;
  stop(): void;
}

interface DeletingBroker extends Broker {
  deleteRecords(request: object): Promise<unknown>;
}

/** Interval between two requests, ms: brokers delete whole log segments, so that more requests have no effect. */
const everyMs = 600_000;

/** Why records were not deleted; of one partition, or of all that were asked for. */
interface Refusal {
  readonly partition?: number;
  readonly error: unknown;
}

/** The library throws one error for all partitions of a broker. */
const refusalsOf = (error: unknown): readonly Refusal[] => {
  const { partitions } = error as { partitions?: readonly Refusal[] };
  return partitions ?? [{ error }];
};

const notAllowed = new Set(['TOPIC_AUTHORIZATION_FAILED', 'CLUSTER_AUTHORIZATION_FAILED']);

/** Creates the deleter of one member. Without the permission the records stay; an alert watches the size of the topic. */
export const createDoneRecords = (
  cluster: Pick<Cluster, 'refreshMetadata' | 'findLeaderForPartitions' | 'findBroker'>,
  topic: string,
  clock: Clock,
  log: Logger,
): DoneRecords => {
  const noted = new Map<number, bigint>();
  let timer: { cancel(): void } | undefined;
  let stopped = false;

  const deleteFrom = async (nodeId: string, partitions: readonly number[]): Promise<void> => {
    const broker = (await cluster.findBroker({ nodeId })) as DeletingBroker;
    const offsets = partitions.flatMap((partition) => {
      const offset = noted.get(partition);
      return offset === undefined ? [] : [{ partition, offset: String(offset) }];
    });
    await broker.deleteRecords({ topics: [{ topic, partitions: offsets }] });
    for (const { partition, offset } of offsets) if (String(noted.get(partition)) === offset) noted.delete(partition);
  };

  const run = async (): Promise<void> => {
    await cluster.refreshMetadata();
    const leaders = cluster.findLeaderForPartitions(topic, [...noted.keys()]) as Readonly<Record<string, number[]>>;
    const deletions = Object.entries(leaders).map(([nodeId, partitions]) => deleteFrom(nodeId, partitions));
    const problems = (await Promise.allSettled(deletions)).flatMap((end) =>
      end.status === 'rejected' ? [end.reason as unknown] : [],
    );
    if (problems.length > 0) failed(problems.flatMap(refusalsOf));
  };

  const failed = (refusals: readonly Refusal[]): void => {
    for (const { partition, error } of refusals) {
      const { type } = problemOf(error);
      // The log has lost records, or is another one.
      if (type === 'OFFSET_OUT_OF_RANGE' && partition !== undefined) noted.delete(partition);
      stopped ||= notAllowed.has(type);
    }
    const { message } = problemOf(refusals[0]?.error);
    log.info(
      { topic, problem: message },
      stopped
        ? 'handled records stay on the topic: the permission to delete them is missing'
        : 'handled records could not be deleted; retrying',
    );
  };

  const later = (): void => {
    timer ??= clock.after(everyMs, () => {
      timer = undefined;
      void run()
        .catch((error: unknown) => failed([{ error }]))
        .finally(() => {
          if (noted.size > 0 && !stopped) later();
        });
    });
  };

  return {
    stored(offsets) {
      if (stopped) return;
      for (const [partition, offset] of offsets) noted.set(partition, offset);
      later();
    },
    forget(partitions) {
      for (const partition of partitions) noted.delete(partition);
    },
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
};
