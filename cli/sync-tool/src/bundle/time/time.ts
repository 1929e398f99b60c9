import { RelayError } from '@ranger-relay/errors';
import { describe, type Noting, quote } from '../findings.ts';
import type { Manifest } from '../model.ts';

const dayMs = 86_400_000;
const daysKept = 100_000;

/** The offsets of one zone. Caches the offset at the start of each day, because computing an offset costs as much as reading a patrol. */
export class ZoneOffsets {
  readonly #format: Intl.DateTimeFormat;
  /** Offset at the start of a day, by its number since 1970. */
  readonly #starts = new Map<number, number>();

  /** @param timeZone a name that `Intl` knows */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
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
    const name = this.#format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, ...parts] = /^GMT([+-])(\d+):(\d+)(?::(\d+))?$/.exec(name) ?? [];
    const [hours = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0));
    return (sign === '-' ? -1 : 1) * ((hours * 60 + minutes) * 60 + seconds) * 1_000;
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

const dateForm = /^\d{4}-\d\d-\d\d$/;

/** The calendar repeats after 400 years, and `Date.UTC` takes years below 100 for others. */
const cycleYears = 400;
const cycleMs = 146_097 * dayMs;

/** ms from 1970 to a date of that form; NaN when the calendar has no such date. */
const startOf = (date: string): number => {
  const [year, month, day] = [Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8, 10))];
  const start = Date.UTC(year + cycleYears, month - 1, day);
  // A day that its month lacks is one of another month.
  return month >= 1 && month <= 12 && new Date(start).getUTCDate() === day ? start - cycleMs : NaN;
};

/** Whether a text is a valid calendar date such as `2019-03-01`. */
export const isDate = (text: string): boolean => dateForm.test(text) && !Number.isNaN(startOf(text));

/** A timestamp as RFC 3339 has it. */
interface Timestamp {
  /** ms since 1970; that of a timestamp without an offset is read as UTC. */
  readonly instant: number;
  /** Offset of local time from UTC, ms; positive when local time is ahead; null for `Z`, undefined without one. */
  readonly offsetMs: number | null | undefined;
}

const timestampForm =
  /^(\d{4}-\d\d-\d\d)[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(\.\d{1,12})?(?:([Zz])|([+-])([01]\d|2[0-3]):([0-5]\d))?$/;

const minuteMs = 60_000;

/** Parses a timestamp with or without an offset; undefined when it is invalid. */
export const readTimestamp = (text: string): Timestamp | undefined => {
  const [, date = '', hour, minute, second, fraction = '', utc, sign, hours, minutes] = timestampForm.exec(text) ?? [];
  const offsetMs = (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * minuteMs;
  const seconds = Number(second) * 1_000 + Math.trunc(Number(`0${fraction}`) * 1_000);
  const instant = startOf(date) + (Number(hour) * 60 + Number(minute)) * minuteMs + seconds - offsetMs;
  if (Number.isNaN(instant)) return undefined;
  return { instant, offsetMs: utc === undefined ? (sign === undefined ? undefined : offsetMs) : null };
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
    if (found === undefined) {
      at.problem(`${member} must be a timestamp as 2024-03-02T06:10:00+08:00, it is ${describe(value)}`);
      return NaN;
    }
    const { instant, offsetMs } = found;
    const text = (): string => `${member} ${quote(String(value))}`;
    if (offsetMs === undefined) {
      at.problem(`${text()} has no offset; write it as 2024-03-02T06:10:00+08:00`);
      return NaN;
    }
    const isPossible = offsetMs === null ? this.#zone.canonical === 'UTC' : this.#offsets.at(instant) === offsetMs;
    if (!isPossible)
      at.warn('offset', `${text()} has an offset that ${this.#zone.name} does not have then; it is kept`);
    return instant;
  }
}
