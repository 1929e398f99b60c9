import { RelayError } from '@ranger-relay/errors';
import { z } from 'zod';
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

/** Whether a text is a valid calendar date such as `2019-03-01`. */
export const isDate = (text: string): boolean => z.core.regexes.date.test(text);

// Digits behind the milliseconds are cut: `Date.parse` of V8 misreads some fractions of ten digits.
const timeForm =
  /^(T(?:[01]\d|2[0-3]):[0-5]\d:)([0-5]\d|60)(?:(\.\d{1,3})\d{0,9})?(Z|([+-])([01]\d|2[0-3]):([0-5]\d))?$/;

const minuteMs = 60_000;

/** A timestamp of RFC 3339. */
interface Timestamp {
  /** ms since 1970; a timestamp without an offset is read as UTC. */
  readonly instant: number;
  readonly form: 'none' | 'utc' | 'offset';
  /** Offset of local time from UTC, ms; positive when local time is ahead. */
  readonly offsetMs: number;
}

/** Reads a timestamp with or without an offset; undefined for any other text. */
export const readTimestamp = (text: string): Timestamp | undefined => {
  const upper = text.toUpperCase();
  const date = upper.slice(0, 10);
  const found = isDate(date) ? timeForm.exec(upper.slice(10)) : null;
  if (!found) return undefined;
  const [, minute, second, fraction = '', zone, sign, hours, minutes] = found;
  const isLeapSecond = second === '60';
  const parsed = Date.parse(`${date}${minute}${isLeapSecond ? '59' : second}${fraction}${zone ?? 'Z'}`);
  const instant = isLeapSecond ? parsed + 1_000 : parsed;
  const offset = (Number(hours) * 60 + Number(minutes)) * minuteMs;
  if (sign !== undefined) return { instant, form: 'offset', offsetMs: sign === '-' ? -offset : offset };
  return { instant, form: zone === undefined ? 'none' : 'utc', offsetMs: 0 };
};

/** Checks the timestamps of a bundle against its zone (bundle contract, 5). */
export class ZoneTimestamps {
  readonly #zone: Manifest['timezone'];
  readonly #offsets: ZoneOffsets;

  constructor(zone: Manifest['timezone']) {
    this.#zone = zone;
    this.#offsets = new ZoneOffsets(zone.canonical);
  }

  /** Parses a member's timestamp to ms since 1970; NaN with a problem when it is invalid. A wrong offset is a warning. */
  read(value: unknown, member: string, at: Noting): number {
    const found = typeof value === 'string' ? readTimestamp(value) : undefined;
    if (typeof value !== 'string' || !found) {
      at.problem(`${member} must be a timestamp as 2024-03-02T06:10:00+08:00, it is ${describe(value)}`);
      return NaN;
    }
    if (found.form === 'none') {
      at.problem(`${member} ${quote(value)} has no offset; write it as 2024-03-02T06:10:00+08:00`);
      return NaN;
    }
    if (!this.#isPossible(found)) this.#warn(value, member, at);
    return found.instant;
  }

  #isPossible({ form, instant, offsetMs }: Timestamp): boolean {
    if (form === 'utc') return this.#zone.canonical === 'UTC';
    return this.#offsets.at(instant) === offsetMs;
  }

  #warn(value: string, member: string, at: Noting): void {
    at.warn('offset', `${member} ${quote(value)} has an offset that ${this.#zone.name} does not have then; it is kept`);
  }
}
