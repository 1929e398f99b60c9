import { storeKey, type KvSpace } from '@ranger-relay/kv';

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
export interface SchedulerEntries {
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
