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

/** The offsets of one zone. Those of the beginnings of days are asked once: asking costs as much as reading a patrol. */
export class ZoneOffsets {
  readonly #format: Intl.DateTimeFormat;
  /** Offset at the beginning of a day, by its number since 1970. */
  readonly #starts = new Map<number, number>();

  /** @param timeZone a name that `Intl` knows */
  constructor(timeZone: string) {
    this.#format = formatter(timeZone);
  }

  /** ms that the zone is ahead of UTC at an instant (ms since 1970). */
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
