import type { Crontab } from './crontab.ts';

/** A schedule as the platform takes it. */
export interface CrontabMembers {
  readonly minute: string;
  readonly hour: string;
  readonly day_of_week: string;
  readonly day_of_month: string;
  readonly month_of_year: string;
  readonly tz_offset: number;
}

/** The members that a schedule is registered with (platform contract, registration). */
export const crontabMembers = ({ text, offsetHours }: Crontab): CrontabMembers => {
  const [minute = '*', hour = '*', dayOfMonth = '*', month = '*', dayOfWeek = '*'] = text.trim().split(/\s+/);
  return {
    minute,
    hour,
    day_of_week: dayOfWeek,
    day_of_month: dayOfMonth,
    month_of_year: month,
    tz_offset: offsetHours,
  };
};

const [daysOfAnyMonth, daysOfWeek] = [31, 7];

/** Both kinds of days are restricted: here either is enough, the platform may need both. */
export const restrictsBothDays = (crontab: Crontab): boolean =>
  crontab.daysOfMonth.size < daysOfAnyMonth && crontab.daysOfWeek.size < daysOfWeek;
