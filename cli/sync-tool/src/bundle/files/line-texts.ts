import { isAscii, isUtf8 } from 'node:buffer';
import type { FileFindings } from '../findings.ts';

/** Bytes of the mark that a UTF-8 file may begin with. */
export const markBytes = (bytes: Buffer): number =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;

/** Whether a file that begins so is UTF-16 or UTF-32: a byte order mark, or JSON whose first characters hold zero bytes. */
export const isWide = (bytes: Buffer): boolean => {
  const [first, second] = bytes;
  if (bytes.length < 2) return false;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0 || second === 0;
};

/** What is said of such a file. */
export const wideProblem = 'is UTF-16 or UTF-32; files of a bundle are UTF-8';

/** Longest line, bytes without its end (bundle contract, 5). */
export const lineLimit = 4 * 1024 * 1024;

const newline = 10;
const carriageReturn = 13;

const isTooLong = (line: Buffer): boolean => line.length > lineLimit + (line.at(-1) === carriageReturn ? 1 : 0);

/** Makes texts of the lines of a file. Lines that are no UTF-8 or too long are problems; the others are handed on. */
export class LineTexts {
  readonly #at: FileFindings;
  readonly #onLine: (text: string) => void;
  #next = 1;
  #isBegun: boolean;
  #isCut = false;
  #isWide = false;

  /**
   * @param onLine is called with each line without its end, while `at.line` is its number
   * @param isBegun lines before these are read elsewhere; numbers count from here
   */
  constructor(at: FileFindings, onLine: (text: string) => void, isBegun = false) {
    this.#at = at;
    this.#onLine = onLine;
    this.#isBegun = isBegun;
  }

  /** Lines taken so far. */
  get count(): number {
    return this.#next - 1;
  }

  /** Takes whole lines, each but the last of the file with its newline. */
  take(bytes: Buffer): void {
    const lines = this.#afterCut(this.#afterMark(bytes));
    if (this.#isWide || lines.length === 0) return;
    if (lines.length > lineLimit || !isUtf8(lines)) this.#oneByOne(lines);
    // Texts that need no decoding are a plain copy.
    else this.#split(lines.toString(isAscii(lines) ? 'latin1' : 'utf8'));
  }

  /** The line that begins now is too long already: what is read of it is not kept, and what follows up to its end is passed over. */
  cut(): void {
    if (!this.#isCut && !this.#isWide) this.#tooLong();
    this.#isCut = true;
  }

  #afterMark(bytes: Buffer): Buffer {
    if (this.#isBegun) return bytes;
    this.#isBegun = true;
    this.#isWide = isWide(bytes);
    if (this.#isWide) this.#at.problem(wideProblem, 1);
    return bytes.subarray(markBytes(bytes));
  }

  #afterCut(bytes: Buffer): Buffer {
    if (!this.#isCut) return bytes;
    const end = bytes.indexOf(newline);
    this.#isCut = end < 0;
    if (end >= 0) this.#next += 1;
    return end < 0 ? bytes.subarray(bytes.length) : bytes.subarray(end + 1);
  }

  #split(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#line(text.slice(start, end));
      start = end + 1;
    }
    if (start < text.length) this.#line(text.slice(start));
  }

  #oneByOne(bytes: Buffer): void {
    for (let start = 0; start < bytes.length;) {
      const found = bytes.indexOf(newline, start);
      const end = found < 0 ? bytes.length : found;
      const line = bytes.subarray(start, end);
      if (isTooLong(line)) {
        this.#tooLong();
        this.#next += 1;
      } else if (isUtf8(line)) this.#line(line.toString('utf8'));
      else this.#notUtf8();
      start = end + 1;
    }
  }

  #line(text: string): void {
    this.#at.line = this.#next;
    this.#next += 1;
    this.#onLine(text);
  }

  #notUtf8(): void {
    this.#at.problem('is not UTF-8', this.#next);
    this.#next += 1;
  }

  #tooLong(): void {
    this.#at.problem(`is longer than ${lineLimit} bytes, the most that a line may have`, this.#next);
  }
}
