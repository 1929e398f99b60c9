import { RelayError } from '@ranger-relay/errors';

/** One of the five fields of a crontab: its bounds and the names of its numbers. */
interface FieldKind {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The fields in their order (platform contract, 5). Names count from the lower bound; Sunday is 0 and 7. */
const fieldKinds = [
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day of month', min: 1, max: 31, names: [] },
  { name: 'month', min: 1, max: 12, names: months },
  { name: 'day of week', min: 0, max: 7, names: days },
] as const satisfies readonly FieldKind[];

/** Bounds of the optional offset field, hours from UTC. */
const [minOffset, maxOffset] = [-12, 14];

/** A problem of a field, in words. */
class FieldProblem extends Error {}

const numberOf = (text: string, { name, min, max, names }: FieldKind): number => {
  const named = names.indexOf(text.toLowerCase());
  const value = named >= 0 ? named + min : /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw new FieldProblem(`${name} "${text}" is not between ${min} and ${max}`);
  return value;
};

const stepOf = (text: string | undefined, kind: FieldKind, part: string): number => {
  if (text === undefined) return 1;
  const step = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (step === 0) throw new FieldProblem(`the step of ${kind.name} "${part}" is not a number over 0`);
  return step;
};

const boundsOf = (range: string, kind: FieldKind, hasStep: boolean): readonly [number, number] => {
  if (range === '*') return [kind.min, kind.max];
  const [from = '', to, ...more] = range.split('-');
  if (more.length > 0) throw new FieldProblem(`${kind.name} "${range}" is not a range`);
  const first = numberOf(from, kind);
  if (to === undefined) {
    if (hasStep) throw new FieldProblem(`${kind.name} "${range}" is one number and cannot have a step`);
    return [first, first];
  }
  const last = numberOf(to, kind);
  if (last < first) throw new FieldProblem(`${kind.name} "${range}" runs backwards`);
  return [first, last];
};

/** One part of a field: a number, a range, or every number, each so many. */
interface FieldPart {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  readonly isAll: boolean;
}

/** @throws FieldProblem */
const partsOf = (text: string, kind: FieldKind): readonly FieldPart[] =>
  text.split(',').map((part) => {
    const [range = '', step, ...more] = part.split('/');
    if (more.length > 0) throw new FieldProblem(`${kind.name} "${part}" has two steps`);
    const [first, last] = boundsOf(range, kind, step !== undefined);
    return { first, last, step: stepOf(step, kind, part), isAll: range === '*' };
  });

const numbersOf = ({ first, last, step }: FieldPart): readonly number[] =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, n) => first + n * step);

const rangeText = (first: number, last: number): string => (first === last ? `${first}` : `${first}-${last}`);

/** A part in the platform's grammar, which has neither names nor a day 7. */
const textsOf = (part: FieldPart, { max }: FieldKind): readonly string[] => {
  const { first, last, step, isAll } = part;
  const by = step === 1 ? '' : `/${step}`;
  if (isAll) return [`*${by}`];
  const isSunday7 = last === 7 && max === 7;
  if (!isSunday7) return [`${rangeText(first, last)}${by}`];
  if (step > 1) return numbersOf(part).map((day) => `${day % 7}`);
  if (first === 0) return ['*'];
  return first === 7 ? ['0'] : [rangeText(first, 6), '0'];
};

/** A schedule in the platform's format. */
interface CrontabMembers {
  readonly minute: string;
  readonly hour: string;
  readonly day_of_week: string;
  readonly day_of_month: string;
  readonly month_of_year: string;
  readonly tz_offset: number;
}

/** The registration members of a schedule (platform contract, registration), in the platform's grammar. */
export const crontabMembers = ({ text, offsetHours }: Crontab): CrontabMembers => {
  const fields = text.trim().split(/\s+/);
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = fieldKinds.map((kind, index) => {
    const texts = partsOf(fields[index] ?? '*', kind).flatMap((part) => textsOf(part, kind));
    return [...new Set(texts)].join(',');
  });
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

/** Whether both day fields are restricted: this implementation fires when either matches, the platform may require both. */
export const restrictsBothDays = (crontab: Crontab): boolean =>
  crontab.daysOfMonth.size < daysOfAnyMonth && crontab.daysOfWeek.size < daysOfWeek;

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** A leap day on a given weekday recurs after at most 40 years, around the turn of a century. */
const maxDays = 366 * 48;

/** If both day fields are restricted, either is sufficient. */
const isDay = (crontab: Crontab, day: Date): boolean => {
  const { daysOfMonth, daysOfWeek, months } = crontab;
  if (!months.has(day.getUTCMonth() + 1)) return false;
  const [byMonth, byWeek] = [daysOfMonth.has(day.getUTCDate()), daysOfWeek.has(day.getUTCDay())];
  return restrictsBothDays(crontab) ? byMonth || byWeek : byMonth && byWeek;
};

/** Minutes of a day, ascending. */
const minutesOf = ({ hours, minutes }: Crontab): readonly number[] =>
  [...hours].flatMap((hour) => [...minutes].map((minute) => hour * 60 + minute)).sort((a, b) => a - b);

const startOfDay = (ms: number): number => Math.floor(ms / dayMs) * dayMs;

/** First instant after `after` at which it fires, ms since 1970. */
export const nextFire = (crontab: Crontab, after: number): number => {
  const offset = crontab.offsetHours * 3_600_000;
  const local = after + offset;
  const minutes = minutesOf(crontab);
  for (let day = startOfDay(local), n = 0; n < maxDays; day += dayMs, n += 1) {
    if (!isDay(crontab, new Date(day))) continue;
    const minute = minutes.find((each) => day + each * minuteMs > local);
    if (minute !== undefined) return day + minute * minuteMs - offset;
  }
  // Reached only while a crontab is parsed.
  throw new FieldProblem('it never fires, because no year has such a day');
};

/** Last instant after `since` and at or before `at` at which it fired; null when it did not. */
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

/** A schedule with a resolution of one minute and an offset in whole hours from UTC, without daylight saving time. */
export interface Crontab {
  /** The original text. */
  readonly text: string;
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly daysOfMonth: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly daysOfWeek: ReadonlySet<number>;
  /** -12 to 14. */
  readonly offsetHours: number;
}

const offsetOf = (text: string | undefined): number => {
  if (text === undefined) return 0;
  const offset = /^[+-]?\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (!(offset >= minOffset && offset <= maxOffset))
    throw new FieldProblem(`the offset "${text}" is not between ${minOffset} and ${maxOffset} hours`);
  return offset;
};

const parse = (text: string): Crontab => {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== 5 && parts.length !== 6)
    throw new FieldProblem(`it has ${parts[0] === '' ? 0 : parts.length} fields, not five or six`);
  const [minutes, hours, daysOfMonth, months, weekdays] = fieldKinds.map(
    (kind, index) => new Set(partsOf(parts[index] ?? '', kind).flatMap(numbersOf)),
  ) as [Set<number>, Set<number>, Set<number>, Set<number>, Set<number>];
  const daysOfWeek = new Set([...weekdays].map((day) => day % 7));
  const crontab = { text, minutes, hours, daysOfMonth, months, daysOfWeek, offsetHours: offsetOf(parts[5]) };
  nextFire(crontab, 0);
  return crontab;
};

/** Parses `MIN HOUR DOM MON DOW [OFFSET]` (platform contract, 5). @throws RelayError `crontab_invalid`, also for one that never fires (30 February) */
export const parseCrontab = (text: string): Crontab => {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    throw new RelayError('crontab_invalid', { details: { crontab: text, reason: error.message } });
  }
};
