import type { Clock, Logger } from '@ranger-relay/runtime';
import { startWithoutOffsetsMs, type ReportLost } from '../../consume/lost-records.ts';
import type { Ends } from '../fetch/ends.ts';
import type { Coordinator, Membership } from './coordinator.ts';

/** What finding where to go on needs. */
export interface StartParts {
  readonly topic: string;
  readonly from: 'recent' | 'earliest' | 'latest';
  readonly coordinator: Pick<Coordinator, 'committed' | 'commit'>;
  readonly ends: Ends;
  readonly place: () => Membership | undefined;
  readonly lost: ReportLost;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
}

type Offsets = ReadonlyMap<number, bigint>;

const of = (offsets: Offsets, partition: number): bigint => offsets.get(partition) ?? 0n;

/** Where a group without offsets starts. It is stored, so that it does not move. */
const withoutOffsets = async (parts: StartParts, partitions: readonly number[], first: Offsets): Promise<Offsets> => {
  if (partitions.length === 0) return new Map();
  const { topic, from, ends, clock, coordinator, place, lost } = parts;
  const startOf = {
    earliest: async () => new Map(partitions.map((partition) => [partition, of(first, partition)])),
    recent: () => ends.since(topic, partitions, clock.now() - startWithoutOffsetsMs),
    latest: () => ends.latest(topic, partitions),
  };
  const starts = await startOf[from]();
  const at = place();
  if (at) await coordinator.commit(at, topic, starts);
  if (from === 'recent')
    for (const [partition, to] of starts) lost({ partition, reason: 'no_offsets', from: of(first, partition), to });
  return starts;
};

/** Where a group goes on in a partition that it knows. */
const goOn = (parts: StartParts, partition: number, committed: bigint, first: bigint, end: bigint): bigint => {
  if (committed > end) {
    const { topic, log } = parts;
    log.error(
      { topic, partition },
      'the offset is behind the end of the topic, which was made anew; it is read from its start',
    );
    return first;
  }
  parts.lost({ partition, reason: 'retention', from: committed, to: first });
  return committed < first ? first : committed;
};

/** Where to go on in each partition. */
export const startsOf = async (parts: StartParts, partitions: readonly number[]): Promise<Offsets> => {
  const { topic, coordinator, ends } = parts;
  const committed = await coordinator.committed(topic, partitions);
  const [first, end] = await Promise.all([ends.earliest(topic, partitions), ends.latest(topic, partitions)]);
  const unknown = partitions.filter((partition) => !committed.has(partition));
  const fresh = await withoutOffsets(parts, unknown, first);
  const known = [...committed].map(
    ([partition, offset]) =>
      [partition, goOn(parts, partition, offset, of(first, partition), of(end, partition))] as const,
  );
  return new Map([...known, ...fresh]);
};
