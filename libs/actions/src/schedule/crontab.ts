import { RelayError } from '@ranger-relay/errors';
import { FieldProblem, fieldKinds, maxOffset, minOffset, parseField } from './field.ts';

/** A schedule: at which minutes it fires, in whole hours from UTC, without daylight saving. */
export interface Crontab {
  /** As it was written. */
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
  const [minutes, hours, daysOfMonth, months, weekdays] = fieldKinds.map((kind, index) =>
    parseField(parts[index] ?? '', kind),
  ) as [Set<number>, Set<number>, Set<number>, Set<number>, Set<number>];
  const daysOfWeek = new Set([...weekdays].map((day) => day % 7));
  return { text, minutes, hours, daysOfMonth, months, daysOfWeek, offsetHours: offsetOf(parts[5]) };
};

/** Reads `MIN HOUR DOM MON DOW [OFFSET]` (platform contract, 5). @throws RelayError `crontab_invalid` */
export const parseCrontab = (text: string): Crontab => {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    throw new RelayError('crontab_invalid', { details: { crontab: text, reason: error.message } });
  }
};
