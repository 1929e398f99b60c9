import type { Logger } from '@ranger-relay/runtime';
import type { Ends } from '../fetch/ends.ts';
import type { Coordinator, Membership } from './coordinator.ts';

/** What finding where to go on needs. */
export interface StartParts {
  readonly topic: string;
  readonly from: 'earliest' | 'latest';
  readonly coordinator: Coordinator;
  readonly ends: Ends;
  readonly place: () => Membership | undefined;
  readonly log: Logger;
}

/** A group that has never stored an offset starts where its consumer said, and stores that, so that it does not move. */
const firstTime = async (parts: StartParts, partitions: readonly number[]): Promise<Map<number, bigint>> => {
  const { topic, from, coordinator, ends, place } = parts;
  if (from === 'earliest' || partitions.length === 0) return ends.earliest(topic, partitions);
  const starts = await ends.latest(topic, partitions);
  const at = place();
  if (at) await coordinator.commit(at, topic, starts);
  return starts;
};

/** Where to go on in each partition. An offset behind the end means that the topic was made anew: it is read from its start. */
export const startsOf = async (parts: StartParts, partitions: readonly number[]): Promise<Map<number, bigint>> => {
  const { topic, coordinator, ends, log } = parts;
  const committed = await coordinator.committed(topic, partitions);
  const known = partitions.filter((partition) => committed.has(partition));
  const latest = await ends.latest(topic, known);
  const beyond = known.filter((partition) => (committed.get(partition) ?? 0n) > (latest.get(partition) ?? 0n));
  if (beyond.length > 0)
    log.error({ topic, partitions: beyond }, 'offsets are behind the end of the topic; it is read from its start');
  const anew = await ends.earliest(topic, beyond);
  const fresh = await firstTime(
    parts,
    partitions.filter((partition) => !committed.has(partition)),
  );
  return new Map([...committed, ...anew, ...fresh]);
};
