import type { Clock, Logger } from '@ranger-relay/runtime';
import { recentSince, type ReportLost } from '../../consume/lost-records.ts';
import type { ConsumeSettings } from '../../consume/partition.ts';
import { firstCommit, type PartitionStart, startAfter } from '../../consume/commit.ts';
import { decodeDone } from '../../lanes.ts';
import { problemOf, unavailable } from '../client/problems.ts';
import type { Ends, ReadLastRecord } from '../fetch/ends.ts';
import { type Coordinator, isOfDeleted, type KafkaCommit, memberClaimOf, type Membership } from './coordinator.ts';

/** Where a member goes on in a partition, and the topic that the position is of; undefined where the brokers have no ids. */
export interface KafkaStart extends PartitionStart {
  readonly topicId: string | undefined;
  /** Exclusive end of the partition now. */
  readonly end: bigint;
}

interface StartDependencies {
  readonly topic: string;
  readonly maybeSentAtTakeOver: ConsumeSettings['maybeSentAtTakeOver'];
  readonly from: 'recent' | 'earliest' | 'latest';
  readonly coordinator: Pick<Coordinator, 'committed' | 'commit'>;
  readonly ends: Ends;
  /** Id that the topic has now. */
  readonly topicId: () => Promise<string | undefined>;
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

const commitStarts = async (
  { topic, coordinator, membership }: StartDependencies,
  commits: ReadonlyMap<number, KafkaCommit>,
): Promise<void> => {
  const at = membership();
  if (at && commits.size > 0) await coordinator.commit(at, topic, commits);
};

/**
 * Determines the start of partitions without usable offsets, and commits it, so that it stays the same.
 * @param announced where records may have been sent
 */
const startAnew = async (
  parts: StartDependencies,
  from: StartDependencies['from'],
  partitions: readonly number[],
  { first, topicId }: { readonly first: Offsets; readonly topicId: string | undefined },
  announced: Offsets = new Map(),
): Promise<Offsets> => {
  if (partitions.length === 0) return new Map();
  const { topic, ends } = parts;
  const startOf = {
    earliest: async () => new Map(partitions.map((partition) => [partition, of(first, partition)])),
    recent: () => recent(parts, partitions, first),
    latest: () => ends.latest(topic, partitions),
  };
  const starts = await startOf[from]();
  await commitStarts(
    parts,
    new Map(
      [...starts].map(([partition, offset]) => [
        partition,
        { ...firstCommit(offset), announced: announced.get(partition) ?? offset, topicId },
      ]),
    ),
  );
  return starts;
};

/** Of a group without a position nothing is done or was announced: it has read nothing, or its offsets were deleted before its records. */
const fresh = (parts: StartDependencies, starts: Offsets, end: Offsets): [number, PartitionStart][] =>
  [...starts].map(([partition, offset]) => [partition, startAfter(firstCommit(offset), of(end, partition), parts)]);

/**
 * Where to start, for each partition. A position of a topic that was deleted is none of the topic that has its name now: the group begins at the
 * start of that one, and reports the undone records of the deleted one.
 * @param undone number of those records where this member has read the deleted topic; else those that it had announced are reported
 */
export const startsOf = async (
  parts: StartDependencies,
  partitions: readonly number[],
  undone: ReadonlyMap<number, number>,
): Promise<ReadonlyMap<number, KafkaStart>> => {
  const { topic, from, coordinator, ends, lost, log } = parts;
  // Before the positions: if the topic is deleted in between, its id is refused at the first fetch.
  const topicId = await parts.topicId();
  const committed = await coordinator.committed(topic, partitions);
  const [first, end] = await Promise.all([ends.earliest(topic, partitions), ends.latest(topic, partitions)]);
  const recreated = partitions.filter((partition) => {
    const commit = committed.get(partition);
    return commit ? isOfDeleted(commit, topicId) : undone.has(partition);
  });
  const others = partitions.filter((partition) => !recreated.includes(partition));
  for (const partition of recreated) {
    const { offset = 0n, announced = null, done = '' } = committed.get(partition) ?? {};
    const waiting = decodeDone(done)?.waiting.size ?? 0;
    const records = undone.get(partition) ?? Math.max(Number((announced ?? offset) - offset), waiting);
    lost({ partition, reason: 'recreated', from: offset, to: offset + BigInt(records) });
  }
  const unknown = others.filter((partition) => !committed.has(partition));
  const beyond = others.filter((partition) => (committed.get(partition)?.offset ?? 0n) > of(end, partition));
  for (const partition of beyond)
    log.error(
      { topic, partition, offset: String(committed.get(partition)?.offset), end: String(of(end, partition)) },
      'the offset is beyond the end of the partition, which has lost records or was recreated; reading starts earlier',
    );
  const known = new Map<number, PartitionStart>();
  const raised = new Map<number, KafkaCommit>();
  for (const partition of others) {
    const commit = committed.get(partition);
    if (!commit || commit.offset > of(end, partition)) continue;
    const offset = of(first, partition);
    const start = offset > commit.offset ? { ...commit, offset } : commit;
    if (start !== commit) {
      lost({ partition, reason: 'retention', from: commit.offset, to: offset });
      const announced = commit.announced ?? of(end, partition);
      raised.set(partition, { ...start, announced: announced > offset ? announced : offset, topicId });
    }
    known.set(partition, startAfter(start, of(end, partition), parts));
  }
  const at = { first, topicId };
  // A group that has read before must not skip the records that arrived since, and may have sent them.
  const again = [...(await startAnew(parts, from === 'latest' ? 'recent' : from, beyond, at, end))];
  const starts = [
    ...known,
    ...fresh(parts, await startAnew(parts, 'earliest', recreated, at), end),
    ...fresh(parts, await startAnew(parts, from, unknown, at), end),
    ...again.map(([partition, offset]): [number, PartitionStart] => [
      partition,
      { offset, maybeSentBelow: of(end, partition), done: null },
    ]),
  ];
  await commitStarts(parts, raised);
  return new Map(starts.map(([partition, start]) => [partition, { ...start, topicId, end: of(end, partition) }]));
};

/** Commits the progress of a member after a short delay, many partitions at once. */
export interface Commits {
  commit(partition: number, commit: KafkaCommit): void;
  /** Commits at once; false when another member has the partition. @throws RelayError `bus_unavailable` */
  commitNow(partition: number, commit: KafkaCommit): Promise<boolean>;
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

/** Creates the commits of one member. A failed commit is repeated with the next one; `commit` never lowers an offset. */
export const createCommits = (
  coordinator: Pick<Coordinator, 'commit'>,
  topic: string,
  membership: () => Membership | undefined,
  clock: Clock,
  log: Logger,
  onStored: (offsets: Offsets) => void = () => undefined,
): Commits => {
  const pending = new Map<number, KafkaCommit>();
  /** The commit in flight; a partition that is revoked meanwhile is removed, because its next owner may be further. */
  let sending = new Map<number, KafkaCommit>();
  const stored = new Map<number, KafkaCommit>();
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
    onStored(new Map([...sending].map(([partition, { offset }]) => [partition, offset])));
    for (const [partition, commit] of sending) stored.set(partition, commit);
    for (const [partition, commit] of sending) if (pending.get(partition) === commit) pending.delete(partition);
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
    commit(partition, commit) {
      const before = pending.get(partition) ?? sending.get(partition);
      if (before !== undefined && before.offset > commit.offset) return;
      const isSame = before?.announced === commit.announced && before.done === commit.done;
      if (before?.offset === commit.offset && isSame) return;
      pending.set(partition, commit);
      later();
    },
    async commitNow(partition, commit) {
      pending.set(partition, commit);
      try {
        await flush();
      } catch (error) {
        if (pending.size > 0) later();
        if (memberClaimOf(error) === 'fenced') return false;
        throw unavailable(error);
      }
      const last = stored.get(partition);
      return last !== undefined && last.offset >= commit.offset && last.announced >= commit.announced;
    },
    flush,
    drop(partitions) {
      for (const partition of partitions) {
        for (const commits of [pending, sending, stored]) commits.delete(partition);
      }
    },
    failure: () => failure,
  };
};
