import type { Collecting } from '../findings.ts';
import type { AheadWarning } from './task.ts';

const mostWarnings = 10_000;

/** What is found ahead: warnings are kept to be told in their place; anything else has to be read again where all is known. */
export class AheadFindings implements Collecting {
  readonly warnings: AheadWarning[] = [];
  /** Nothing was found that cannot be told later. */
  isPlain = true;

  problem(): void {
    this.isPlain = false;
  }

  warn(kind: string, _file: string, line: number, text: string): void {
    if (this.warnings.length < mostWarnings) this.warnings.push({ kind, line, text });
    else this.isPlain = false;
  }
}
