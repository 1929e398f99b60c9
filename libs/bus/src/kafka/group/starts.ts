import type { Clock, Logger } from '@ranger-relay/runtime';
import { recentSince, type ReportLost } from '../../consume/lost-records.ts';
import type { Ends, ReadLastRecord } from '../fetch/ends.ts';
import type { Coordinator, Membership } from './coordinator.ts';

/** What finding where to go on needs. */
export interface StartDependencies {
  readonly topic: string;
  readonly from: 'recent' | 'earliest' | 'latest';
  readonly coordinator: Pick<Coordinator, 'committed' | 'commit'>;
  readonly ends: Ends;
  readonly lookAtLast: ReadLastRecord;
  readonly place: () => Membership | undefined;
  readonly lost: ReportLost;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
}

type Offsets = ReadonlyMap<number, bigint>;

const of = (offsets: Offsets, partition: number): bigint => offsets.get(partition) ?? 0n;

const recent = async (parts: StartDependencies, partitions: readonly number[], first: Offsets): Promise<Offsets> => {
  const { topic, ends, clock, lookAtLast, lost } = parts;
  const { newer } = await lookAtLast(topic, 0);
  const starts = await ends.since(topic, partitions, recentSince(clock.now(), newer));
  for (const [partition, to] of starts) lost({ partition, reason: 'no_offsets', from: of(first, partition), to });
  return starts;
};

/** Where a group without usable offsets starts. It is stored, so that it does not move. */
const startAnew = async (
  parts: StartDependencies,
  from: StartDependencies['from'],
  partitions: readonly number[],
  first: Offsets,
): Promise<Offsets> => {
  if (partitions.length === 0) return new Map();
  const { topic, ends, coordinator, place } = parts;
  const startOf = {
    earliest: async () => new Map(partitions.map((partition) => [partition, of(first, partition)])),
    recent: () => recent(parts, partitions, first),
    latest: () => ends.latest(topic, partitions),
  };
  const starts = await startOf[from]();
  const at = place();
  if (at) await coordinator.commit(at, topic, starts);
  return starts;
};

/** Where to go on in each partition. */
export const startsOf = async (parts: StartDependencies, partitions: readonly number[]): Promise<Offsets> => {
  const { topic, from, coordinator, ends, lost, log } = parts;
  const committed = await coordinator.committed(topic, partitions);
  const [first, end] = await Promise.all([ends.earliest(topic, partitions), ends.latest(topic, partitions)]);
  const unknown = partitions.filter((partition) => !committed.has(partition));
  const beyond = partitions.filter((partition) => of(committed, partition) > of(end, partition));
  for (const partition of beyond)
    log.error(
      { topic, partition, offset: String(of(committed, partition)), end: String(of(end, partition)) },
      'the offset is behind the end of the partition, which has lost records or was made anew; it is read again from before',
    );
  const known = new Map<number, bigint>();
  for (const [partition, offset] of committed) {
    if (offset > of(end, partition)) continue;
    lost({ partition, reason: 'retention', from: offset, to: of(first, partition) });
    known.set(partition, offset < of(first, partition) ? of(first, partition) : offset);
  }
  return new Map([
    ...known,
    ...(await startAnew(parts, from, unknown, first)),
    // A group that has read before must not pass over what came meanwhile.
    ...(await startAnew(parts, from === 'latest' ? 'recent' : from, beyond, first)),
  ]);
};
