import type { FileFindings } from '../findings.ts';
import { parseLineWithCare } from '../json/parse-line.ts';
import { recordContext, type RecordContext } from '../records/context.ts';
import { noneKept, type Kept } from '../records/kept.ts';
import type { Part } from '../records/members.ts';

/** Reads one record; problems are noted in the context. */
export type ReadRecord<T> = (part: Part, context: RecordContext) => T;

/** Collects the records of one file; those with a problem are not kept, so that one problem does not bring others. */
export class Records<T> {
  readonly kept: Kept<T>;
  readonly #read: ReadRecord<T>;
  readonly #context: RecordContext;

  constructor(read: ReadRecord<T>, at: FileFindings, languages: ReadonlySet<string>) {
    this.kept = noneKept(at.file);
    this.#read = read;
    this.#context = recordContext(at, languages);
  }

  /** Takes one line. */
  readonly take = (line: string): void => {
    const { at } = this.#context;
    const before = at.problems;
    const members = parseLineWithCare(line, at);
    if (members === null) return;
    const record = this.#read({ members, where: '' }, this.#context);
    if (at.problems > before) return;
    this.kept.records.push(record);
    this.kept.lines.push(at.line);
  };
}
