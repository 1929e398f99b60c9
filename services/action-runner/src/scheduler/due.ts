import { lastFire, type Schedule } from '@ranger-relay/actions';
import { type KvSpace, storeKey } from '@ranger-relay/kv';

/** Names of the scheduler's entries in the state space of the store, for one integration type. */
export const schedulerKey = {
  /** Lease of the one process that publishes (platform contract, scheduling). */
  leader: (slug: string): string => storeKey('scheduler', slug, 'leader'),
  /** Up to when the schedules were published, an ISO time. */
  mark: (slug: string): string => storeKey('scheduler', slug, 'mark'),
  /** The schedules of a running service, for those who ask about them. */
  schedules: (slug: string): string => storeKey('scheduler', slug, 'schedules'),
};

/** Names of the release before, which were the same for all types. */
export const schedulerKeyBefore = { leader: 'scheduler.leader', mark: 'scheduler.mark' } as const;

/** Who publishes the schedules of a type, and up to when they are published; null where the store has nothing. */
interface SchedulerEntries {
  readonly leader: string | null;
  readonly mark: string | null;
}

/** @throws RelayError `kv_unavailable` */
export const readSchedulerEntries = async (state: KvSpace, slug: string): Promise<SchedulerEntries> => {
  const [leader, mark, leaderBefore, markBefore] = await Promise.all([
    state.get(schedulerKey.leader(slug)),
    state.get(schedulerKey.mark(slug)),
    state.get(schedulerKeyBefore.leader),
    state.get(schedulerKeyBefore.mark),
  ]);
  return { leader: leader ?? (leaderBefore === guardMark ? null : leaderBefore), mark: mark ?? markBefore };
};

/** What stands under the leader key of the release before while no process of that release may be the leader. */
export const guardMark = 'one leader for each type';

/** An instant of a schedule whose commands are to be published. */
export interface DueAction {
  readonly actionId: string;
  /** ms since 1970. */
  readonly at: number;
}

/** Clocks of processes may differ by so much, ms. */
const skewMs = 60_000;

/** A clock that was ahead has set it; what it published comes again under the same event ids. */
export const isAhead = (mark: number, now: number): boolean => mark > now + skewMs;

/**
 * From when on instants are still to be published, exclusive.
 * @param mark up to when all instants were published; null when that is not known
 * @param catchupMs how far back an instant that was missed is made up for (SCHEDULE_CATCHUP)
 */
export const dueSince = (mark: number | null, now: number, catchupMs: number): number =>
  mark === null || isAhead(mark, now) ? now - catchupMs : Math.max(mark, now - catchupMs);

/** What is due now: of each schedule only the latest instant. */
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
