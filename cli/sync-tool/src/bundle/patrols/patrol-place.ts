import type { FileFindings, Noting } from '../findings.ts';

/** Findings of the patrol being read. Its parts are named by number, so that a name is only made when something is wrong. */
export class PatrolPlace implements Noting {
  readonly #at: FileFindings;
  /** Position of the leg being read, from 0, or -1; and of its member. */
  leg = -1;
  member = -1;

  constructor(at: FileFindings) {
    this.#at = at;
  }

  get line(): number {
    return this.#at.line;
  }

  problem(text: string): void {
    this.#at.problem(this.#part() + text);
  }

  warn(kind: string, text: string): void {
    this.#at.warn(kind, this.#part() + text);
  }

  #part(): string {
    if (this.leg < 0) return '';
    return this.member < 0 ? `legs[${this.leg}].` : `legs[${this.leg}].members[${this.member}].`;
  }
}
