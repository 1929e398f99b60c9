import type { Crontab } from './crontab.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** A leap day on a given weekday comes again after 40 years at the latest, but for the turn of a century. */
const mostDays = 366 * 48;

const everyDayOfMonth = 31;
const everyDayOfWeek = 7;

/** With both kinds of days restricted either is enough. */
const isDay = ({ daysOfMonth, daysOfWeek, months }: Crontab, day: Date): boolean => {
  if (!months.has(day.getUTCMonth() + 1)) return false;
  const [byMonth, byWeek] = [daysOfMonth.has(day.getUTCDate()), daysOfWeek.has(day.getUTCDay())];
  const bothRestricted = daysOfMonth.size < everyDayOfMonth && daysOfWeek.size < everyDayOfWeek;
  return bothRestricted ? byMonth || byWeek : byMonth && byWeek;
};

/** Minutes of a day, ascending. */
const minutesOf = ({ hours, minutes }: Crontab): readonly number[] =>
  [...hours].flatMap((hour) => [...minutes].map((minute) => hour * 60 + minute)).sort((a, b) => a - b);

const startOfDay = (ms: number): number => Math.floor(ms / dayMs) * dayMs;

/** First instant after `after` at which it fires, ms since 1970; null when it never does (30 February). */
export const nextFire = (crontab: Crontab, after: number): number | null => {
  const offset = crontab.offsetHours * 3_600_000;
  const local = after + offset;
  const minutes = minutesOf(crontab);
  for (let day = startOfDay(local), n = 0; n < mostDays; day += dayMs, n += 1) {
    if (!isDay(crontab, new Date(day))) continue;
    const minute = minutes.find((each) => day + each * minuteMs > local);
    if (minute !== undefined) return day + minute * minuteMs - offset;
  }
  return null;
};

/** Last instant at or before `at`, and after `since`, at which it fired; null when it did not. */
export const lastFire = (crontab: Crontab, since: number, at: number): number | null => {
  const offset = crontab.offsetHours * 3_600_000;
  const [from, to] = [since + offset, at + offset];
  const minutes = minutesOf(crontab).toReversed();
  for (let day = startOfDay(to); day + dayMs > from; day -= dayMs) {
    if (!isDay(crontab, new Date(day))) continue;
    const minute = minutes.find((each) => day + each * minuteMs <= to);
    if (minute !== undefined) return day + minute * minuteMs > from ? day + minute * minuteMs - offset : null;
  }
  return null;
};
