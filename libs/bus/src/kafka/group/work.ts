import type { Clock, Logger } from '@ranger-relay/runtime';
import type { RunningPartition } from '../../consume/partition.ts';
import { problemOf } from '../client/problems.ts';
import type { Work } from './member.ts';
import type { Commits } from './offsets.ts';

/** A running partition that reads from the brokers. */
export interface WorkingPartition extends RunningPartition {
  /** Ends its reading. */
  readonly end: () => void;
}

export interface WorkDependencies {
  readonly topic: string;
  /** The offset to start at, for each partition. */
  readonly starts: (partitions: readonly number[]) => Promise<ReadonlyMap<number, bigint>>;
  /** Starts one partition; it calls `broken` when reading cannot continue at its position. */
  readonly startOne: (partition: number, offset: bigint, broken: (problem: unknown) => void) => WorkingPartition;
  readonly commits: Pick<Commits, 'flush' | 'drop'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The running partitions of one member. */
export interface PartitionWork extends Work {
  running(): readonly WorkingPartition[];
  /** The reason why partitions cannot be started; null when they can. */
  trouble(): string | null;
}

/** One assignment of a partition, until it is revoked; a later assignment of the same partition is another object. */
interface AssignedPartition {
  readonly partition: number;
  work: WorkingPartition | undefined;
  /** True while the partition is being revoked: nothing is started for it any more. */
  going: boolean;
}

const pauseMs = 250;

/** Creates the work of one member. A partition starts at the group's offset, and stops when it is revoked. */
export const createWork = ({ topic, starts, startOne, commits, clock, log }: WorkDependencies): PartitionWork => {
  const posts = new Map<number, AssignedPartition>();
  let trouble: string | null = null;

  const note = (problem: string | null): void => {
    if (problem !== null && trouble === null)
      log.warn({ topic, problem }, 'partitions cannot be assigned now; retrying');
    if (problem === null && trouble !== null) log.info({ topic }, 'partitions are assigned again');
    trouble = problem;
  };

  const begin = (post: AssignedPartition, offset: bigint): void => {
    const work = startOne(post.partition, offset, (problem) => {
      if (post.work === work) void takeAnew(post, problem);
    });
    post.work = work;
  };

  /** Retries until the partitions have started or are no longer needed; skips those that are revoked meanwhile. */
  const assign = async (fresh: readonly AssignedPartition[], over: () => boolean): Promise<void> => {
    for (;;) {
      const wanted = fresh.filter((post) => !post.going && !post.work);
      if (wanted.length === 0 || over()) return;
      try {
        const offsets = await starts(wanted.map(({ partition }) => partition));
        if (over()) return;
        note(null);
        for (const post of wanted)
          if (!post.going) {
            posts.set(post.partition, post);
            begin(post, offsets.get(post.partition) ?? 0n);
          }
      } catch (error) {
        note(problemOf(error).message);
        await clock.sleep(pauseMs);
      }
    }
  };

  const takeAnew = async (post: AssignedPartition, problem: unknown): Promise<void> => {
    const { work, partition } = post;
    if (!work || post.going) return;
    log.error({ err: problem, topic, partition }, 'reading a partition failed; it is reassigned');
    post.work = undefined;
    await work.stop(0);
    work.end();
    if (!post.going) commits.drop([partition]);
    await clock.sleep(pauseMs);
    await assign([post], () => false);
  };

  const revoke = async (going: readonly AssignedPartition[], deadlineMs: number): Promise<void> => {
    for (const post of going) post.going = true;
    const works = going.flatMap(({ work }) => work ?? []);
    await Promise.all(works.map((work) => work.stop(deadlineMs).then(work.end)));
    if (deadlineMs > 0)
      await commits.flush().catch((error: unknown) => {
        log.warn({ err: error, topic }, 'offsets could not be committed at shutdown: records will be redelivered');
      });
    // Another stop with a shorter deadline may have ended it before, and the partition may be assigned again by now.
    const ended = going.filter((post) => posts.get(post.partition) === post);
    commits.drop(ended.map(({ partition }) => partition));
    for (const { partition } of ended) posts.delete(partition);
  };

  return {
    owned: () => [...posts.keys()],
    start: (partitions, signal) =>
      assign(
        partitions.map((partition) => ({ partition, work: undefined, going: false })),
        () => signal.aborted,
      ),
    stop: (partitions, deadlineMs) =>
      revoke(
        partitions.flatMap((partition) => posts.get(partition) ?? []),
        deadlineMs,
      ),
    running: () => [...posts.values()].flatMap(({ work }) => work ?? []),
    trouble: () => trouble,
  };
};
