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

/** The offsets of one zone. Those of a day without a change are asked once: asking costs as much as reading a patrol. */
export class ZoneOffsets {
  readonly #format: Intl.DateTimeFormat;
  /** By day since 1970; NaN for a day within which the offset changes. */
  readonly #days = new Map<number, number>();

  /** @param timeZone a name that `Intl` knows */
  constructor(timeZone: string) {
    this.#format = formatter(timeZone);
  }

  /** ms that the zone is ahead of UTC at an instant (ms since 1970). */
  at(instant: number): number {
    const day = Math.floor(instant / dayMs);
    let offset = this.#days.get(day);
    if (offset === undefined) {
      const first = this.#ask(day * dayMs);
      offset = first === this.#ask((day + 1) * dayMs) ? first : NaN;
      if (this.#days.size < daysKept) this.#days.set(day, offset);
    }
    return Number.isNaN(offset) ? this.#ask(instant) : offset;
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
