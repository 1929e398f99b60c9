import { RelayError } from '@ranger-relay/errors';
import { describe, type Noting, quote } from '../findings.ts';
import type { Manifest } from '../model.ts';

const dayMs = 86_400_000;
const daysKept = 100_000;

const formatter = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-u-ca-iso8601', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });

/** The offsets of one zone. Caches the offset at the start of each day, because computing an offset costs as much as reading a patrol. */
export class ZoneOffsets {
  readonly #format: Intl.DateTimeFormat;
  /** Offset at the start of a day, by its number since 1970. */
  readonly #starts = new Map<number, number>();

  /** @param timeZone a name that `Intl` knows */
  constructor(timeZone: string) {
    this.#format = formatter(timeZone);
  }

  /** Offset of the zone from UTC at an instant (ms since 1970), in ms; positive when the zone is ahead. */
  at(instant: number): number {
    const day = Math.floor(instant / dayMs);
    const offset = this.#startOf(day);
    return offset === this.#startOf(day + 1) ? offset : this.#ask(instant);
  }

  #startOf(day: number): number {
    let offset = this.#starts.get(day);
    if (offset === undefined) {
      offset = this.#ask(day * dayMs);
      if (this.#starts.size < daysKept) this.#starts.set(day, offset);
    }
    return offset;
  }

  #ask(instant: number): number {
    const parts: Record<string, number> = {};
    for (const { type, value } of this.#format.formatToParts(instant)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    const local = new Date(0);
    local.setUTCFullYear(year, month - 1, day);
    local.setUTCHours(hour, minute, second, 0);
    return local.getTime() - Math.floor(instant / 1000) * 1000;
  }
}

/** The environment variable of the exporter that sets the timezone, unless the configuration names another. */
export const defaultTimezoneVariable = 'EXT_TIMEZONE';

/**
 * Compares the timezone that the operator named with the timezone of the bundle. Different names of one zone are equal; zones that only
 * share an offset are not (bundle contract, 1, and the timezone rules of the command).
 * @returns warnings: that the zone was inferred, or chosen by nobody, and the operator has not confirmed it
 * @throws RelayError `timezone_mismatch` when they differ; the remedy is an export with the environment variable set
 */
export const assertTimezone = (
  { timezone }: Pick<Manifest, 'timezone'>,
  wanted?: string,
  variable: string = defaultTimezoneVariable,
): readonly string[] => {
  if (wanted !== undefined) {
    const canonical = canonicalZone(wanted.trim());
    if (canonical === timezone.canonical) return [];
    const reexport = `re-export with the environment variable ${variable} set`;
    const details =
      canonical === null
        ? { wanted: `${quote(wanted)}, which is no name of a timezone`, remedy: `correct it, or ${reexport}` }
        : { wanted, remedy: reexport };
    throw new RelayError('timezone_mismatch', { details: { timezone: timezone.name, ...details } });
  }
  if (timezone.source === 'configured') return [];
  const origin = timezone.source === 'default' ? 'chosen by nobody' : 'inferred from waypoint positions';
  return [
    `the timezone ${timezone.name} of the bundle was ${origin}; say --timezone ${timezone.name} if it is right, ` +
      `otherwise re-export with the environment variable ${variable} set`,
  ];
};

const form = /^[A-Za-z0-9_+\-/]+$/;

/**
 * The canonical name of a timezone according to `Intl`, the same for all names of a zone in any case; null when the name is not a timezone.
 * Offsets and short names such as EST, which `Intl` also accepts, are not valid (bundle contract, 2).
 */
export const canonicalZone = (name: string): string | null => {
  const isLong = name.includes('/') || name.toUpperCase() === 'UTC';
  if (!isLong || !form.test(name)) return null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
};

/** The value of two digits in a text; negative when they are not digits. */
const twoDigits = (text: string, at: number): number => {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
};

const daysOf400Years = 146_097;

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

const lengthOf = (month: number, year: number): number => {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
};

/** Days from 1970-01-01 to a date of the Gregorian calendar; `month` is 1 to 12. */
const daysFrom1970 = (year: number, month: number, day: number): number => {
  // Starting the year in March puts the leap day at its end. The bit operations truncate to whole numbers, which is safe for years from 0.
  const shifted = month > 2 ? year : year + 399;
  const leapDays = ((shifted / 4) | 0) - ((shifted / 100) | 0) + ((shifted / 400) | 0);
  const daysBefore = ((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) | 0;
  const days = shifted * 365 + leapDays + daysBefore + day - 719_469;
  return month > 2 ? days : days - daysOf400Years;
};

/** Whether a text begins with a valid calendar date `yyyy-mm-dd`. */
const beginsWithDate = (text: string): boolean => {
  const century = twoDigits(text, 0);
  const ofCentury = twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  if (century < 0 || ofCentury < 0 || month < 1 || month > 12 || day < 1) return false;
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return false;
  return day <= 28 || day <= lengthOf(month, century * 100 + ofCentury);
};

/** Days since 1970-01-01 of the date `yyyy-mm-dd` at the beginning of a text; NaN when there is none. */
export const dayOf = (text: string): number => {
  if (!beginsWithDate(text)) return NaN;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  return daysFrom1970(year, twoDigits(text, 5), twoDigits(text, 8));
};

/** Whether a text is a valid calendar date such as `2019-03-01`. */
export const isDate = (text: string): boolean => text.length === 10 && beginsWithDate(text);

/** Checks the timestamps of a bundle against its zone (bundle contract, 5). */
export class ZoneTimestamps {
  readonly #zone: Manifest['timezone'];
  readonly #offsets: ZoneOffsets;
  readonly #reader = new TimestampReader();

  constructor(zone: Manifest['timezone']) {
    this.#zone = zone;
    this.#offsets = new ZoneOffsets(zone.canonical);
  }

  /** Parses a member's timestamp to ms since 1970; NaN with a problem when it is invalid. A wrong offset is a warning. */
  read(value: unknown, member: string, at: Noting): number {
    const reader = this.#reader;
    if (typeof value !== 'string' || !reader.read(value)) {
      at.problem(`${member} must be a timestamp as 2024-03-02T06:10:00+08:00, it is ${describe(value)}`);
      return NaN;
    }
    if (reader.form === 'none') {
      at.problem(`${member} ${quote(value)} has no offset; write it as 2024-03-02T06:10:00+08:00`);
      return NaN;
    }
    if (!this.#isPossible()) this.#warn(value, member, at);
    return reader.instant;
  }

  #isPossible(): boolean {
    const { form, instant, offsetMs } = this.#reader;
    if (form === 'utc') return this.#zone.canonical === 'UTC';
    return this.#offsets.at(instant) === offsetMs;
  }

  #warn(value: string, member: string, at: Noting): void {
    at.warn('offset', `${member} ${quote(value)} has an offset that ${this.#zone.name} does not have then; it is kept`);
  }
}

const minuteMs = 60_000;

/** The notation of a timestamp's offset. */
type OffsetForm = 'none' | 'utc' | 'offset';

/** Parses RFC 3339 timestamps into its own members, so that parsing many of them allocates no memory. */
export class TimestampReader {
  /** ms since 1970; a timestamp without an offset is read as UTC. */
  instant = NaN;
  /** Offset of local time from UTC, ms; positive when local time is ahead. */
  offsetMs = 0;
  form: OffsetForm = 'none';

  /** Parses a timestamp with or without an offset into the members; false when it is invalid. */
  read(text: string): boolean {
    const separator = text.charCodeAt(10);
    const hour = twoDigits(text, 11);
    const minute = twoDigits(text, 14);
    const second = twoDigits(text, 17);
    if ((separator !== 84 && separator !== 116) || text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58)
      return false;
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return false;
    const end = this.#endOfFraction(text);
    if (end < 0 || !this.#readOffset(text, end)) return false;
    const milliseconds = Math.trunc(Number(`0${text.slice(19, end)}`) * 1000);
    this.instant = dayOf(text) * dayMs + (hour * 60 + minute) * minuteMs + second * 1000 + milliseconds - this.offsetMs;
    return !Number.isNaN(this.instant);
  }

  #endOfFraction(text: string): number {
    if (text.charCodeAt(19) !== 46) return 19;
    let end = 20;
    while (text.charCodeAt(end) >= 48 && text.charCodeAt(end) <= 57) end += 1;
    return end === 20 || end > 32 ? -1 : end;
  }

  #readOffset(text: string, at: number): boolean {
    this.offsetMs = 0;
    const sign = text.charCodeAt(at);
    if (text.length === at) {
      this.form = 'none';
      return true;
    }
    if (sign === 90 || sign === 122) {
      this.form = 'utc';
      return text.length === at + 1;
    }
    const hours = twoDigits(text, at + 1);
    const minutes = twoDigits(text, at + 4);
    if ((sign !== 43 && sign !== 45) || text.charCodeAt(at + 3) !== 58 || text.length !== at + 6) return false;
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return false;
    this.form = 'offset';
    this.offsetMs = (sign === 45 ? -1 : 1) * (hours * 60 + minutes) * minuteMs;
    return true;
  }
}
