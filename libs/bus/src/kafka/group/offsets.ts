import type { Clock, Logger } from '@ranger-relay/runtime';
import { recentSince, type ReportLost } from '../../consume/lost-records.ts';
import { problemOf } from '../client/problems.ts';
import type { Ends, ReadLastRecord } from '../fetch/ends.ts';
import { type Coordinator, memberClaimOf, type Membership } from './coordinator.ts';

interface StartDependencies {
  readonly topic: string;
  readonly from: 'recent' | 'earliest' | 'latest';
  readonly coordinator: Pick<Coordinator, 'committed' | 'commit'>;
  readonly ends: Ends;
  readonly readLastRecord: ReadLastRecord;
  readonly membership: () => Membership | undefined;
  readonly lost: ReportLost;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
}

type Offsets = ReadonlyMap<number, bigint>;

const of = (offsets: Offsets, partition: number): bigint => offsets.get(partition) ?? 0n;

const recent = async (parts: StartDependencies, partitions: readonly number[], first: Offsets): Promise<Offsets> => {
  const { topic, ends, clock, readLastRecord, lost } = parts;
  const { newer } = await readLastRecord(topic, 0);
  const starts = await ends.since(topic, partitions, recentSince(clock.now(), newer));
  for (const [partition, to] of starts) lost({ partition, reason: 'no_offsets', from: of(first, partition), to });
  return starts;
};

/** Determines the start of partitions without usable offsets, and commits it, so that it stays the same. */
const startAnew = async (
  parts: StartDependencies,
  from: StartDependencies['from'],
  partitions: readonly number[],
  first: Offsets,
): Promise<Offsets> => {
  if (partitions.length === 0) return new Map();
  const { topic, ends, coordinator, membership } = parts;
  const startOf = {
    earliest: async () => new Map(partitions.map((partition) => [partition, of(first, partition)])),
    recent: () => recent(parts, partitions, first),
    latest: () => ends.latest(topic, partitions),
  };
  const starts = await startOf[from]();
  const at = membership();
  if (at) await coordinator.commit(at, topic, starts);
  return starts;
};

/** The offset to start at, for each partition. */
export const startsOf = async (parts: StartDependencies, partitions: readonly number[]): Promise<Offsets> => {
  const { topic, from, coordinator, ends, lost, log } = parts;
  const committed = await coordinator.committed(topic, partitions);
  const [first, end] = await Promise.all([ends.earliest(topic, partitions), ends.latest(topic, partitions)]);
  const unknown = partitions.filter((partition) => !committed.has(partition));
  const beyond = partitions.filter((partition) => of(committed, partition) > of(end, partition));
  for (const partition of beyond)
    log.error(
      { topic, partition, offset: String(of(committed, partition)), end: String(of(end, partition)) },
      'the offset is beyond the end of the partition, which has lost records or was recreated; reading starts earlier',
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
    // A group that has read before must not skip the records that arrived since.
    ...(await startAnew(parts, from === 'latest' ? 'recent' : from, beyond, first)),
  ]);
};

/** Commits the progress of a member after a short delay, many partitions at once. */
export interface Commits {
  commit(partition: number, offset: bigint): void;
  /** Commits the pending offsets now; retries for a while, then rejects. */
  flush(): Promise<void>;
  /** Forgets the pending offsets of revoked partitions. */
  drop(partitions: readonly number[]): void;
  /** The reason why commits fail; null while they succeed. */
  failure(): string | null;
}

const delayMs = 250;
const pauseMs = 100;
/** Long enough for a rebalance to end, or for the coordinator to be found again. */
const retryMs = 3_000;

/** Creates the commits of one member. A failed commit is repeated with the next one; an offset never decreases. */
export const createCommits = (
  coordinator: Pick<Coordinator, 'commit'>,
  topic: string,
  membership: () => Membership | undefined,
  clock: Clock,
  log: Logger,
  onStored: (offsets: ReadonlyMap<number, bigint>) => void = () => undefined,
): Commits => {
  const pending = new Map<number, bigint>();
  /** Offsets of the commit in flight; a partition that is revoked meanwhile is removed, because its next owner may be further. */
  let sending = new Map<number, bigint>();
  let timer: { cancel(): void } | undefined;
  let flushing: Promise<void> = Promise.resolve();
  let failure: string | null = null;

  const reportFailure = (problem: string | null): void => {
    if (problem !== null && failure === null) log.warn({ topic, problem }, 'offsets cannot be committed now; retrying');
    if (problem === null && failure !== null) log.info({ topic }, 'offsets are committed again');
    failure = problem;
  };

  /** During a rebalance the group refuses commits with an error that also means a lost membership; a member that lost it drops its offsets. */
  const send = async (): Promise<boolean> => {
    const until = clock.monotonic() + retryMs;
    for (;;) {
      const at = membership();
      if (!at || sending.size === 0) return false;
      try {
        await coordinator.commit(at, topic, sending);
        return true;
      } catch (error) {
        if (clock.monotonic() >= until) {
          reportFailure(problemOf(error).message);
          throw error;
        }
        if (memberClaimOf(error) === 'away' || membership() === at) await clock.sleep(pauseMs);
      }
    }
  };

  const store = async (): Promise<void> => {
    timer?.cancel();
    timer = undefined;
    sending = new Map(pending);
    if (!(await send())) return;
    reportFailure(null);
    onStored(sending);
    for (const [partition, offset] of sending) if (pending.get(partition) === offset) pending.delete(partition);
  };

  const flush = (): Promise<void> => {
    flushing = flushing.catch(() => undefined).then(store);
    return flushing;
  };

  const later = (): void => {
    timer ??= clock.after(delayMs, () => {
      timer = undefined;
      flush().catch(() => {
        if (pending.size > 0) later();
      });
    });
  };

  return {
    commit(partition, offset) {
      const before = pending.get(partition) ?? sending.get(partition);
      if (before !== undefined && before >= offset) return;
      pending.set(partition, offset);
      later();
    },
    flush,
    drop(partitions) {
      for (const partition of partitions) {
        pending.delete(partition);
        sending.delete(partition);
      }
    },
    failure: () => failure,
  };
};
