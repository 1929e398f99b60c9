import type { Clock, Logger } from '@ranger-relay/runtime';
import type { LostRange, ReportLost } from '../../consume/lost-records.ts';
import type { RunningPartition } from '../../consume/partition.ts';
import { problemOf } from '../client/problems.ts';
import { TopicRecreated } from '../fetch/fetcher.ts';
import type { Work } from './member.ts';
import type { Commits, KafkaStart } from './offsets.ts';

/** A running partition that reads from the brokers. */
export interface WorkingPartition extends RunningPartition {
  /** Ends its reading. */
  readonly end: () => void;
}

export interface WorkDependencies {
  readonly topic: string;
  /**
   * Where to start, for each partition; `undone` records were not handled of the topic that the partition had before. It is called again when it
   * fails, and calls `lost` each time.
   */
  readonly starts: (
    partitions: readonly number[],
    undone: ReadonlyMap<number, number>,
    lost: ReportLost,
  ) => Promise<ReadonlyMap<number, KafkaStart>>;
  readonly lost: ReportLost;
  /** Starts one partition; it calls `broken` when reading cannot continue at its position. */
  readonly startOne: (partition: number, start: KafkaStart, broken: (problem: unknown) => void) => WorkingPartition;
  readonly commits: Pick<Commits, 'flush' | 'drop'>;
  /** Longest wait for the handlers of a partition that starts anew, ms. */
  readonly handOverMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The running partitions of one member. */
export interface PartitionWork extends Work {
  running(): readonly WorkingPartition[];
  runningOf(partition: number): WorkingPartition | undefined;
  /** The reason why partitions cannot be started; null when they can. */
  failure(): string | null;
}

/** One assignment of a partition, until it is revoked; a later assignment of the same partition is another object. */
interface AssignedPartition {
  readonly partition: number;
  work: WorkingPartition | undefined;
  /** Number of undone records of the topic that was deleted while the partition was assigned. */
  undone: number | undefined;
  /** True while the partition is being revoked: nothing is started for it any more. */
  revoking: boolean;
}

const pauseMs = 250;

/** Creates the work of one member. A partition starts at the group's offset, and stops when it is revoked. */
export const createWork = ({
  topic,
  starts,
  lost,
  startOne,
  commits,
  handOverMs,
  clock,
  log,
}: WorkDependencies): PartitionWork => {
  const assigned = new Map<number, AssignedPartition>();
  let failure: string | null = null;

  const note = (problem: string | null): void => {
    if (problem !== null && failure === null)
      log.warn({ topic, problem }, 'partitions cannot be assigned now; retrying');
    if (problem === null && failure !== null) log.info({ topic }, 'partitions are assigned again');
    failure = problem;
  };

  const begin = (assignment: AssignedPartition, start: KafkaStart): void => {
    let isBroken = false;
    assignment.work = startOne(assignment.partition, start, (problem) => {
      if (!isBroken) void reassign(assignment, problem);
      isBroken = true;
    });
  };

  /** Retries until the partitions have started or are no longer needed; skips those that are revoked meanwhile. */
  const assign = async (assignments: readonly AssignedPartition[], over: () => boolean): Promise<void> => {
    const losses = new Map<string, LostRange>();
    for (;;) {
      const wanted = assignments.filter((assignment) => !assignment.revoking && !assignment.work);
      if (wanted.length === 0 || over()) return;
      try {
        const undone = wanted.flatMap(({ partition, undone: each }) =>
          each === undefined ? [] : [[partition, each] as const],
        );
        const partitions = wanted.map(({ partition }) => partition);
        const offsets = await starts(partitions, new Map(undone), (range) =>
          losses.set(`${range.partition} ${range.reason}`, range),
        );
        for (const range of losses.values()) lost(range);
        losses.clear();
        if (over()) return;
        note(null);
        for (const assignment of wanted)
          if (!assignment.revoking) {
            assigned.set(assignment.partition, assignment);
            assignment.undone = undefined;
            begin(assignment, offsets.get(assignment.partition) as KafkaStart);
          }
      } catch (error) {
        note(problemOf(error).message);
        await clock.sleep(pauseMs);
      }
    }
  };

  const reassign = async (assignment: AssignedPartition, problem: unknown): Promise<void> => {
    const { work, partition } = assignment;
    if (!work || assignment.revoking) return;
    log.error({ err: problem, topic, partition }, 'reading a partition failed; it is reassigned');
    // In the same process: its handlers must not run beside those of the next start. A revocation meanwhile stops and commits the same work.
    await work.stop(handOverMs);
    if (problem instanceof TopicRecreated) assignment.undone = await work.lag();
    work.end();
    if (assignment.revoking) return;
    commits.drop([partition]);
    assignment.work = undefined;
    await clock.sleep(pauseMs);
    await assign([assignment], () => false);
  };

  const revoke = async (revoking: readonly AssignedPartition[], deadlineMs: number): Promise<void> => {
    for (const assignment of revoking) assignment.revoking = true;
    const works = revoking.flatMap(({ work }) => work ?? []);
    await Promise.all(works.map((work) => work.stop(deadlineMs).then(work.end)));
    if (deadlineMs > 0)
      await commits.flush().catch((error: unknown) => {
        log.warn({ err: error, topic }, 'offsets could not be committed at shutdown: records will be redelivered');
      });
    // Another stop with a shorter deadline may have ended it before, and the partition may be assigned again by now.
    const ended = revoking.filter((assignment) => assigned.get(assignment.partition) === assignment);
    commits.drop(ended.map(({ partition }) => partition));
    for (const { partition } of ended) assigned.delete(partition);
  };

  return {
    owned: () => [...assigned.keys()],
    start: (partitions, signal) =>
      assign(
        partitions.map((partition) => ({ partition, work: undefined, undone: undefined, revoking: false })),
        () => signal.aborted,
      ),
    stop: (partitions, deadlineMs) =>
      revoke(
        partitions.flatMap((partition) => assigned.get(partition) ?? []),
        deadlineMs,
      ),
    running: () => [...assigned.values()].flatMap(({ work }) => work ?? []),
    runningOf: (partition) => assigned.get(partition)?.work,
    failure: () => failure,
  };
};
