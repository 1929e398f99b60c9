import { createHash } from 'node:crypto';
import { lineLimit, type LineTexts } from './line-texts.ts';
import type { WatchedFile } from './watched-file.ts';

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

/** Reads a file from a place on, piece by piece: the next is on its way while one is worked on. Returns how many bytes there were. */
const readPieces = async (file: WatchedFile, from: number, use: (piece: Buffer) => void): Promise<number> => {
  let [piece, other] = [Buffer.allocUnsafeSlow(pieceBytes), Buffer.allocUnsafeSlow(pieceBytes)];
  let count = await file.read(piece, from);
  let bytes = from;
  while (count > 0) {
    bytes += count;
    // A file that grows while it is read has no end of its own.
    const next = bytes > file.size ? Promise.resolve(0) : file.read(other, bytes);
    try {
      use(piece.subarray(0, count));
    } finally {
      count = await next;
    }
    [piece, other] = [other, piece];
  }
  return bytes - from;
};

/** Reads the lines of a file from the beginning of one of them on. Memory is bounded by the longest line, not by the file. */
export const readLinesFrom = async (file: WatchedFile, texts: LineTexts, from: number): Promise<void> => {
  const lines = new WholeLines(texts);
  await readPieces(file, from, (piece) => lines.take(piece));
  lines.end();
};

/**
 * Reads a file once: counts, hashes and splits it. Memory is bounded by the longest line, not by the file.
 * @param until the lines from this place on, where one begins, are left to others
 */
export const readLines = async (
  file: WatchedFile,
  texts: LineTexts,
  onBytes: (count: number) => void,
  until = Infinity,
): Promise<FileFacts> => {
  const hash = createHash('sha256');
  const lines = new WholeLines(texts);
  let before = 0;
  const bytes = await readPieces(file, 0, (piece) => {
    hash.update(piece);
    if (before < until) lines.take(piece.subarray(0, until - before));
    before += piece.length;
    onBytes(piece.length);
  });
  lines.end();
  return { bytes, sha256: hash.digest('hex') };
};
