import { RelayError } from '@ranger-relay/errors';
import type { BundleWarning } from './model.ts';

const shown = 60;

// Control characters move the cursor, direction marks reorder the text, and line breaks would split a message.
const unsafe = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/gu;

const escape = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`;

/** Formats a text from a bundle for a message: in quotes, on one line, safe for a terminal, truncated. */
export const quote = (text: string, limit = shown): string => {
  const cut = text.length > limit ? `${text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
  return `"${cut.replaceAll(unsafe, escape)}"`;
};

/** Formats a JSON value for a message after "it is". Not for texts written by people, which messages do not repeat. */
export const describe = (value: unknown): string => {
  if (value === undefined) return 'missing';
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value === 'string') return value === '' ? 'an empty text' : `the text ${quote(value)}`;
  return Array.isArray(value) ? 'a list' : 'an object';
};

/** Maximum number of problems kept; further problems are only counted (bundle contract, 5). */
const problemsKept = 20;
const spotsNamed = 5;

/** A place in a file: a line (from 1), or an object of a document such as `stations[3]`; '' for the document as a whole. */
export type Spot = number | string;

interface Repeated {
  readonly file: string;
  readonly text: string;
  /** The first distinct ones; `last` is the most recent one. */
  readonly spots: Spot[];
  last: Spot;
  count: number;
}

const placeOf = (file: string, spot: Spot): string =>
  spot === '' ? file : `${file}:${typeof spot === 'number' ? '' : ' '}${spot}`;

const textOf = ({ file, text, spots, last, count }: Repeated): string => {
  const [first = 1] = spots;
  const more = last === spots.at(-1) ? '' : ', …';
  const where = `${typeof first === 'number' ? 'lines ' : ''}${spots.join(', ')}${more}`;
  return `${placeOf(file, first)}: ${text}${count === 1 ? '' : ` (${count} times, ${where})`}`;
};

/** The findings about a bundle: problems, which make it invalid, and warnings, one per kind and file with its count. */
export class Findings {
  readonly #problems: string[] = [];
  readonly #warnings = new Map<string, Repeated>();
  #total = 0;

  /** Number of problems found, including those not kept. */
  get total(): number {
    return this.#total;
  }

  /** Warnings, ordered by the first occurrence of their kinds. */
  get warnings(): readonly BundleWarning[] {
    return Array.from(this.#warnings.values(), (repeated) => ({ text: textOf(repeated) }));
  }

  /** Adds a problem; beyond the limit, problems are only counted. */
  problem(file: string, spot: Spot, text: string): void {
    this.#total += 1;
    if (this.#problems.length < problemsKept) this.#problems.push(`${placeOf(file, spot)}: ${text}`);
  }

  /** Adds a warning; `kind` groups those of a file into one, which the text of the first represents. */
  warn(kind: string, file: string, spot: Spot, text: string): void {
    const key = `${kind}\n${file}`;
    const known = this.#warnings.get(key) ?? { file, text, spots: [], last: 0, count: 0 };
    known.count += 1;
    if (known.spots.length < spotsNamed && known.last !== spot) known.spots.push(spot);
    known.last = spot;
    this.#warnings.set(key, known);
  }

  /** Combines the problems into one error `bundle_invalid`. Its details: `problems`, one per line, and `total`, the number found. */
  error(path: string): RelayError {
    const kept = this.#problems.length;
    const noun = this.#total === 1 ? 'problem' : 'problems';
    const count = `${this.#total} ${noun}${this.#total > kept ? `, the first ${kept} of them` : ''}`;
    return new RelayError('bundle_invalid', {
      details: { path, count, total: this.#total, problems: this.#problems.join('\n') },
    });
  }
}

/** Lists the problems of an error `bundle_invalid`, each as `file:line: text`. */
export const problemsOf = (error: RelayError): readonly string[] => {
  const { problems } = error.details;
  return typeof problems === 'string' && problems !== '' ? problems.split('\n') : [];
};

/** Receives the findings at one place of a file. */
export interface Noting {
  /** From 1. */
  readonly line: number;
  problem(text: string): void;
  /** `kind` groups warnings into one. */
  warn(kind: string, text: string): void;
}

/** Findings of one file; `line` (from 1) is the current line, or, in a list of a document, the position (from 0) of the current object. */
export class FileFindings implements Noting {
  readonly file: string;
  readonly #all: Findings;
  line = 1;
  /** The current list of a document; null in a file of lines. */
  list: string | null = null;
  /** Number of problems of this file so far. */
  problems = 0;

  constructor(all: Findings, file: string) {
    this.#all = all;
    this.file = file;
  }

  /** Adds a problem at the current line, or at the given one. */
  problem(text: string, line: number = this.line): void {
    this.problems += 1;
    this.#all.problem(this.file, this.#spot(line), text);
  }

  /** Adds a warning at the current line, or at the given one. */
  warn(kind: string, text: string, line: number = this.line): void {
    this.#all.warn(kind, this.file, this.#spot(line), text);
  }

  /** The current place, as findings name it. */
  get spot(): string {
    return placeOf(this.file, this.#spot(this.line));
  }

  #spot(line: number): Spot {
    if (this.list === null) return line;
    return this.list === '' ? '' : `${this.list}[${line}]`;
  }
}
