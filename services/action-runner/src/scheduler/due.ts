import { lastFire, type Schedule } from '@ranger-relay/actions';

/** An instant of a schedule whose commands are to be published. */
export interface DueAction {
  readonly actionId: string;
  /** ms since 1970. */
  readonly at: number;
}

/** After a gap only the last hour counts (platform contract, scheduling), ms. */
const gapMs = 3_600_000;
/** Clocks of processes may differ by so much, ms. */
const skewMs = 60_000;

/** A clock that was ahead has set it; what it published comes again under the same event ids. */
export const isAhead = (mark: number, now: number): boolean => mark > now + skewMs;

/**
 * From when on instants are still to be published, exclusive.
 * @param mark up to when all instants were published; null when that is not known
 */
export const dueSince = (mark: number | null, now: number): number =>
  mark === null || isAhead(mark, now) ? now - gapMs : Math.max(mark, now - gapMs);

/** What is due now: of each schedule only the latest instant. */
export const dueActions = (schedules: readonly Schedule[], mark: number | null, now: number): readonly DueAction[] => {
  const since = dueSince(mark, now);
  return schedules.flatMap(({ actionId, crontab }) => {
    const at = lastFire(crontab, since, now);
    return at === null ? [] : [{ actionId, at }];
  });
};
