import type { Clock } from '@ranger-relay/runtime';
import { type KvSpace, unlessUnavailable } from './port.ts';

/** Key in the state space that exists until the store is emptied. Its value tells since when the store remembers, and who has seen that. */
export const epochKey = 'store.epoch';

const unseen = 'unseen';

/** The value of an epoch. @param seenBy name of the process that has restored what an emptied store lost */
export const epochOf = (since: number, seenBy = unseen): string => `${since}/${seenBy}`;

/** When the store's memory begins, ms since 1970; `Infinity` without an epoch. */
export const epochTime = (epoch: string | null | undefined): number => {
  const [, at] = /^(\d+)\//.exec(epoch ?? '') ?? [];
  return at === undefined ? Infinity : Number(at);
};

/** Whether somebody has restored what the store lost before this epoch. */
export const isEpochSeen = (epoch: string): boolean => !epoch.endsWith(`/${unseen}`);

/**
 * Begins the epoch of a new or emptied store. A process does this before it takes anything in: what arrives before the epoch may have been
 * handled by a process whose notes are lost. An unavailable store begins it later.
 */
export const beginEpoch = async (state: KvSpace, { now }: Pick<Clock, 'now'>): Promise<void> => {
  await unlessUnavailable(state.setIfAbsent(epochKey, epochOf(now())));
};
