import type { Clock, Logger } from '@ranger-relay/runtime';
import type { Broker, Cluster } from '../client/cluster.ts';
import { problemOf } from '../client/problems.ts';

/** Deletes the records of a topic that its group is done with; for topics that keep theirs without limit. */
export interface DoneRecords {
  /** Offsets that the group has stored, by partition: everything before them may go. */
  stored(offsets: ReadonlyMap<number, bigint>): void;
  stop(): void;
}

interface DeletingBroker extends Broker {
  deleteRecords(request: object): Promise<unknown>;
}

/** A log segment is deleted as a whole: to ask more often brings nothing, ms. */
const everyMs = 600_000;

const notAllowed = new Set(['TOPIC_AUTHORIZATION_FAILED', 'CLUSTER_AUTHORIZATION_FAILED']);

/** Makes the deleter of one member. A broker that does not let it leaves the records; how many there are is for an alert to say. */
export const createDoneRecords = (
  cluster: Pick<Cluster, 'findLeaderForPartitions' | 'findBroker'>,
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
    const leaders = cluster.findLeaderForPartitions(topic, [...noted.keys()]) as Readonly<Record<string, number[]>>;
    for (const [nodeId, partitions] of Object.entries(leaders)) await deleteFrom(nodeId, partitions);
  };

  const failed = (error: unknown): void => {
    const { type, message } = problemOf(error);
    stopped ||= notAllowed.has(type);
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
        .catch(failed)
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
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
};
