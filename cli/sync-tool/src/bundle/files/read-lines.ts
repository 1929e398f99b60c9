import { createHash } from 'node:crypto';
import { lineLimit, type LineTexts } from './line-texts.ts';
import type { WatchedFile } from './open-file.ts';

const openingBrace = 123;

/** Whether a line holds nothing: such lines are passed over. */
export const isBlankLine = (text: string): boolean => text.charCodeAt(0) !== openingBrace && text.trim() === '';

const pieceBytes = 256 * 1024;
const newline = 10;

/** What one pass over a file tells beside its lines; the hash in hex. */
export interface FileFacts {
  readonly bytes: number;
  readonly sha256: string;
}

/** Hands on whole lines; keeps the beginning of one whose end is not there yet. */
class WholeLines {
  readonly #texts: LineTexts;
  #begun: Buffer[] = [];
  #begunBytes = 0;

  constructor(texts: LineTexts) {
    this.#texts = texts;
  }

  /** Takes a piece; what is kept of it is copied. */
  take(piece: Buffer): void {
    const first = piece.indexOf(newline) + 1;
    if (first === 0) return this.#keep(piece);
    const last = piece.lastIndexOf(newline) + 1;
    if (this.#begunBytes === 0) this.#texts.take(piece.subarray(0, last));
    else {
      this.#texts.take(Buffer.concat([...this.#begun, piece.subarray(0, first)]));
      this.#drop();
      this.#texts.take(piece.subarray(first, last));
    }
    this.#keep(piece.subarray(last));
  }

  /** Hands on what is kept as the line that it is. */
  end(): void {
    this.#texts.take(Buffer.concat(this.#begun, this.#begunBytes));
    this.#drop();
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#begun.push(Buffer.from(part));
    this.#begunBytes += part.length;
    if (this.#begunBytes <= lineLimit + 1) return;
    this.#texts.cut();
    this.#drop();
  }

  #drop(): void {
    this.#begun = [];
    this.#begunBytes = 0;
  }
}

/** A part of a file, bytes from its beginning. */
interface Part {
  readonly from: number;
  /** Not part of it; the end of the file when left out. */
  readonly to?: number;
}

/** Reads a part of a file piece by piece: the next is on its way while one is worked on. Returns how many bytes there were. */
const readPieces = async (
  file: WatchedFile,
  { from, to = Infinity }: Part,
  use: (piece: Buffer) => void,
): Promise<number> => {
  let [piece, other] = [Buffer.allocUnsafeSlow(pieceBytes), Buffer.allocUnsafeSlow(pieceBytes)];
  let at = from;
  // A file that grows while it is read has no end of its own.
  const next = (into: Buffer): Promise<number> =>
    at >= to || at > file.size ? Promise.resolve(0) : file.read(into.subarray(0, to - at), at);
  let count = await next(piece);
  while (count > 0) {
    at += count;
    const coming = next(other);
    try {
      use(piece.subarray(0, count));
    } finally {
      count = await coming;
    }
    [piece, other] = [other, piece];
  }
  return at - from;
};

/** Reads the lines of a part of a file that begins where one of them does. Memory is bounded by the longest line, not by the file. */
export const readLinesOf = async (
  file: WatchedFile,
  part: Part,
  texts: LineTexts,
  onBytes?: (count: number) => void,
): Promise<void> => {
  const lines = new WholeLines(texts);
  await readPieces(file, part, (piece) => {
    lines.take(piece);
    onBytes?.(piece.length);
  });
  lines.end();
};

/** Counts and hashes a file. */
export const readFacts = async (file: WatchedFile, use?: (piece: Buffer) => void): Promise<FileFacts> => {
  const hash = createHash('sha256');
  const bytes = await readPieces(file, { from: 0 }, (piece) => {
    hash.update(piece);
    use?.(piece);
  });
  return { bytes, sha256: hash.digest('hex') };
};

/** Reads a file once: counts, hashes and splits it. Memory is bounded by the longest line, not by the file. */
export const readLines = async (
  file: WatchedFile,
  texts: LineTexts,
  onBytes: (count: number) => void,
): Promise<FileFacts> => {
  const lines = new WholeLines(texts);
  const facts = await readFacts(file, (piece) => {
    lines.take(piece);
    onBytes(piece.length);
  });
  lines.end();
  return facts;
};
