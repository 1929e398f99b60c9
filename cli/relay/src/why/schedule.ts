import { nextFire, type Schedule } from '@ranger-relay/actions';

/** When an action runs by itself. */
export interface ToldSchedule {
  readonly crontab: string;
  /** Who says so: the operator, the handler, or neither. */
  readonly from: Schedule['source'];
  /** ISO 8601; null when it never fires. */
  readonly next_fire: string | null;
}

/** The schedule of an action; null for actions that have none. */
export const scheduleOf = (schedules: readonly Schedule[], actionId: string, now: number): ToldSchedule | null => {
  const schedule = schedules.find((each) => each.actionId === actionId);
  if (!schedule) return null;
  const next = nextFire(schedule.crontab, now);
  return {
    crontab: schedule.crontab.text,
    from: schedule.source,
    next_fire: next === null ? null : new Date(next).toISOString(),
  };
};
