import type { Clock } from '@ranger-relay/runtime';
import type { Cluster } from '../client/cluster.ts';
import { createLayout } from '../client/layout.ts';
import { createEnds } from '../fetch/ends.ts';
import { createCoordinator } from '../group/coordinator.ts';

/** How many records of a topic a group has not handled, by offsets; without one it has handled none. */
export const waitingFor = async (
  cluster: Cluster,
  clock: Clock,
  { topic, group, partitions }: { readonly topic: string; readonly group: string; readonly partitions: number },
): Promise<number> => {
  const all = Array.from({ length: partitions }, (_, partition) => partition);
  const ends = createEnds(cluster, createLayout(cluster, clock), clock);
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
