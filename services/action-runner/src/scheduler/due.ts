import { holderOf, lastFire, type Schedule } from '@ranger-relay/actions';
import { type KvSpace, storeKey } from '@ranger-relay/kv';

/** Keys of the scheduler's entries in the store's state space, for one integration type. */
export const schedulerKey = {
  /** Lease of the single process that publishes commands (platform contract, scheduling). */
  leader: (slug: string): string => storeKey('scheduler', slug, 'leader'),
  /** Time up to which the schedules were published, ISO. */
  mark: (slug: string): string => storeKey('scheduler', slug, 'mark'),
  /** The schedules of a running service, for other processes. */
  schedules: (slug: string): string => storeKey('scheduler', slug, 'schedules'),
};

/** The process that publishes the schedules of a type, and the time up to which they are published; null when not in the store. */
interface SchedulerEntries {
  readonly leader: string | null;
  readonly mark: string | null;
}

/** @throws RelayError `kv_unavailable` */
export const readSchedulerEntries = async (state: KvSpace, slug: string): Promise<SchedulerEntries> => {
  const [token, mark] = await Promise.all([state.get(schedulerKey.leader(slug)), state.get(schedulerKey.mark(slug))]);
  return { leader: token === null ? null : holderOf(token), mark };
};

/** An instant of a schedule whose command is due. */
export interface DueAction {
  readonly actionId: string;
  /** ms since 1970. */
  readonly at: number;
}

/** Maximum difference between the clocks of processes, ms. */
const skewMs = 60_000;

/** Whether a process whose clock was ahead set the mark; commands of the affected instants are published again under the same event ids. */
export const isAhead = (mark: number, now: number): boolean => mark > now + skewMs;

/**
 * Start of the instants that are still to be published, exclusive.
 * @param mark up to when all instants were published; null when that is not known
 * @param catchupMs how far back a missed instant is made up for (SCHEDULE_CATCHUP)
 */
export const dueSince = (mark: number | null, now: number, catchupMs: number): number =>
  mark === null || isAhead(mark, now) ? now - catchupMs : Math.max(mark, now - catchupMs);

/** The actions that are due now: of each schedule only the latest instant. */
export const dueActions = (
  schedules: readonly Schedule[],
  mark: number | null,
  now: number,
  catchupMs: number,
): readonly DueAction[] => {
  const since = dueSince(mark, now, catchupMs);
  return schedules.flatMap(({ actionId, crontab }) => {
    const at = lastFire(crontab, since, now);
    return at === null ? [] : [{ actionId, at }];
  });
};
