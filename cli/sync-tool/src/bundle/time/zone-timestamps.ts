import { describe, quote } from '../describe.ts';
import type { Noting } from '../findings.ts';
import { ZoneOffsets } from './offsets.ts';
import { TimestampReader } from './timestamp.ts';

/** Checks the timestamps of a bundle against its zone (bundle contract, 5). */
export class ZoneTimestamps {
  readonly #zone: string;
  readonly #offsets: ZoneOffsets;
  readonly #reader = new TimestampReader();

  /** @param zone a canonical name */
  constructor(zone: string) {
    this.#zone = zone;
    this.#offsets = new ZoneOffsets(zone);
  }

  /** ms since 1970 of a member's timestamp; NaN with a problem when it is none. A wrong offset is a warning. */
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
    if (form === 'utc') return this.#zone === 'UTC';
    return this.#offsets.at(instant) === offsetMs;
  }

  #warn(value: string, member: string, at: Noting): void {
    at.warn('offset', `${member} ${quote(value)} has an offset that ${this.#zone} does not have then; it is kept`);
  }
}
