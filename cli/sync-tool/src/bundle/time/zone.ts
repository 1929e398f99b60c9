import { RelayError } from '@ranger-relay/errors';
import { quote } from '../findings.ts';
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

/**
 * Compares the timezone that the operator named with the timezone of the bundle. Different names of one zone are equal; zones that only
 * share an offset are not (bundle contract, 1, and the timezone rules of the command).
 * @returns warnings: that the zone was inferred and the operator has not confirmed it
 * @throws RelayError `timezone_mismatch` when they differ; the remedy is an export with EXT_TIMEZONE set
 */
export const assertTimezone = ({ timezone }: Pick<Manifest, 'timezone'>, wanted?: string): readonly string[] => {
  if (wanted !== undefined) {
    const canonical = canonicalZone(wanted.trim());
    if (canonical === timezone.canonical) return [];
    const named = canonical === null ? `${quote(wanted)}, which is no name of a timezone` : wanted;
    throw new RelayError('timezone_mismatch', { details: { timezone: timezone.name, wanted: named } });
  }
  if (timezone.source === 'configured') return [];
  return [
    `the timezone ${timezone.name} of the bundle was inferred from waypoint positions; say --timezone ${timezone.name} if it is right, ` +
      'otherwise re-export with the environment variable EXT_TIMEZONE set',
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
