import type { Clock, Logger } from '@ranger-relay/runtime';
import { problemOf } from '../client/problems.ts';
import { memberClaimOf, type Coordinator, type Membership } from './coordinator.ts';

/** Stores how far a member has come, a little later and many partitions at once. */
export interface Commits {
  commit(partition: number, offset: bigint): void;
  /** Stores what is noted, now; tries for a while, and rejects when that does not help. */
  flush(): Promise<void>;
  /** Forgets what is noted for partitions that are no longer its own. */
  drop(partitions: readonly number[]): void;
  /** Why offsets cannot be stored; null when they can. */
  trouble(): string | null;
}

const delayMs = 250;
const pauseMs = 100;
/** Long enough for a sharing to end, or for the group to be found elsewhere. */
const patienceMs = 3_000;

/** Makes the commits of one member. A failed one is tried again with the next; an offset never goes back. */
export const createCommits = (
  coordinator: Pick<Coordinator, 'commit'>,
  topic: string,
  place: () => Membership | undefined,
  clock: Clock,
  log: Logger,
  onStored: (offsets: ReadonlyMap<number, bigint>) => void = () => undefined,
): Commits => {
  const noted = new Map<number, bigint>();
  /** What is on its way: a partition that is lost meanwhile leaves it, for the next owner may be further. */
  let sending = new Map<number, bigint>();
  let timer: { cancel(): void } | undefined;
  let flushing: Promise<void> = Promise.resolve();
  let trouble: string | null = null;

  const note = (problem: string | null): void => {
    if (problem !== null && trouble === null)
      log.warn({ topic, problem }, 'offsets cannot be stored now; it is tried again');
    if (problem === null && trouble !== null) log.info({ topic }, 'offsets are stored again');
    trouble = problem;
  };

  /** While the group is shared anew it refuses offsets, in words that also mean a lost place: whoever lost it drops them. */
  const send = async (): Promise<boolean> => {
    const until = clock.monotonic() + patienceMs;
    for (;;) {
      const at = place();
      if (!at || sending.size === 0) return false;
      try {
        await coordinator.commit(at, topic, sending);
        return true;
      } catch (error) {
        if (clock.monotonic() >= until) {
          note(problemOf(error).message);
          throw error;
        }
        if (memberClaimOf(error) === 'away' || place() === at) await clock.sleep(pauseMs);
      }
    }
  };

  const store = async (): Promise<void> => {
    timer?.cancel();
    timer = undefined;
    sending = new Map(noted);
    if (!(await send())) return;
    note(null);
    onStored(sending);
    for (const [partition, offset] of sending) if (noted.get(partition) === offset) noted.delete(partition);
  };

  const flush = (): Promise<void> => {
    flushing = flushing.catch(() => undefined).then(store);
    return flushing;
  };

  const later = (): void => {
    timer ??= clock.after(delayMs, () => {
      timer = undefined;
      flush().catch(() => {
        if (noted.size > 0) later();
      });
    });
  };

  return {
    commit(partition, offset) {
      const before = noted.get(partition) ?? sending.get(partition);
      if (before !== undefined && before >= offset) return;
      noted.set(partition, offset);
      later();
    },
    flush,
    drop(partitions) {
      for (const partition of partitions) {
        noted.delete(partition);
        sending.delete(partition);
      }
    },
    trouble: () => trouble,
  };
};
