import { lastFire, type Schedule } from '@ranger-relay/actions';

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
