import { type BigIntStats, constants } from 'node:fs';
import { join, sep } from 'node:path';
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Disk, DiskFile } from '../../run/machine.ts';
import type { FileFindings } from '../findings.ts';

// The flags for not following links and not waiting for pipes exist only on some systems.
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Returns the reason why a file could not be opened or read, for the operator. */
export const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'is missing';
  if (code === 'EACCES' || code === 'EPERM') return `cannot be read: no permission (${code})`;
  return `cannot be read (${code})`;
};

/** The folder of a bundle. */
export interface BundleFolder {
  readonly disk: Disk;
  /** Its real path. */
  readonly root: string;
}

const openReal = async (disk: Disk, real: string): Promise<DiskFile | string> => {
  // Checks the type before opening, because opening a device may have an effect.
  if (!(await disk.lstat(real)).isFile()) return 'is a folder or device, not a file';
  const handle = await disk.open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  return 'is a folder or device, not a file';
};

/**
 * Opens a file of a bundle for reading. Follows links as long as they stay below the folder.
 * @param path safe and relative to the folder
 * @returns the open file, or the reason why it cannot be opened, to be appended to its name
 */
const openInside = async ({ disk, root }: BundleFolder, path: string): Promise<DiskFile | string> => {
  try {
    const real = await disk.realpath(join(root, path));
    if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) return 'is a link that leaves the bundle';
    return await openReal(disk, real);
  } catch (error) {
    return reasonOf(error);
  }
};

const same = (one: BigIntStats, other: BigIntStats): boolean =>
  one.size === other.size && one.mtimeNs === other.mtimeNs && one.ctimeNs === other.ctimeNs;

/** An open file that detects changes since it was opened. */
export class WatchedFile {
  readonly #handle: DiskFile;
  readonly #before: BigIntStats;
  readonly size: number;

  private constructor(handle: DiskFile, before: BigIntStats) {
    this.#handle = handle;
    this.#before = before;
    this.size = Number(before.size);
  }

  static async of(handle: DiskFile): Promise<WatchedFile> {
    return new WatchedFile(handle, await handle.stat({ bigint: true }));
  }

  /** Reads from a position, or by default from the end of the previous read, up to the size of the buffer; returns 0 at the end. */
  async read(buffer: Buffer, from: number | null = null): Promise<number> {
    return (await this.#handle.read(buffer, 0, buffer.length, from)).bytesRead;
  }

  async isChanged(): Promise<boolean> {
    return !same(this.#before, await this.#handle.stat({ bigint: true }));
  }
}

/**
 * Opens a file of a bundle, uses it and closes it; undefined where it could not be opened or read.
 * @param path safe and relative to the folder
 * @param onProblem called with the reason why the file could not be opened or read, to be appended to its name
 */
export const withFile = async <T>(
  folder: BundleFolder,
  path: string,
  onProblem: (problem: string) => void,
  use: (file: WatchedFile) => Promise<T>,
): Promise<T | undefined> => {
  const handle = await openInside(folder, path);
  if (typeof handle === 'string') return void onProblem(handle);
  try {
    return await use(await WatchedFile.of(handle));
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return void onProblem(reasonOf(error));
  } finally {
    await handle.close();
  }
};

/** Reads the bytes of a small file; at most one byte more than its size when it was opened. */
export const readBytes = async (file: WatchedFile): Promise<Buffer> => {
  const buffer = Buffer.alloc(file.size + 1);
  let held = 0;
  while (held < buffer.length) {
    const count = await file.read(buffer.subarray(held));
    if (count === 0) break;
    held += count;
  }
  return buffer.subarray(0, held);
};

/** Bytes of the optional UTF-8 byte order mark. */
export const markBytes = (bytes: Buffer): number =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;

/** Whether the beginning of a file shows UTF-16 or UTF-32: a byte order mark, or JSON whose first characters contain zero bytes. */
export const isWide = (bytes: Buffer): boolean => {
  const [first, second] = bytes;
  if (bytes.length < 2) return false;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0 || second === 0;
};

/** The problem message for such a file. */
export const wideProblem = 'is UTF-16 or UTF-32; files of a bundle are UTF-8';

/** Maximum length of a line without its line break, bytes (bundle contract, 5). */
const maxLineBytes = 4 * 1024 * 1024;
const pieceBytes = 256 * 1024;
const newline = 10;
const carriageReturn = 13;

const isTooLong = (line: Buffer): boolean => line.length > maxLineBytes + (line.at(-1) === carriageReturn ? 1 : 0);

/** Splits a file into lines. Reports lines that are not UTF-8 or too long, and passes on all others. */
class LineSplitter {
  readonly #at: FileFindings;
  readonly #onLine: (text: string) => void;
  /** The incomplete last line, and the number of lines before it. */
  #rest: Buffer = Buffer.alloc(0);
  #count = 0;
  #isBegun = false;
  #isWide = false;
  /** Whether the current line is too long and is skipped up to its end. */
  #isSkipping = false;

  constructor(at: FileFindings, onLine: (text: string) => void) {
    this.#at = at;
    this.#onLine = onLine;
  }

  /** Processes the next piece of the file; copies the part that it keeps. */
  take(piece: Buffer): void {
    const bytes = this.#skipped(this.#rest.length === 0 ? this.#begin(piece) : Buffer.concat([this.#rest, piece]));
    const end = this.#isWide ? 0 : bytes.lastIndexOf(newline) + 1;
    this.#lines(bytes.subarray(0, end));
    this.#rest = this.#isWide ? Buffer.alloc(0) : Buffer.from(bytes.subarray(end));
    // One more byte is allowed, because a carriage return may belong to the line break.
    if (this.#rest.length <= maxLineBytes + 1) return;
    this.#tooLong();
    this.#isSkipping = true;
    this.#rest = Buffer.alloc(0);
  }

  /** Passes on a last line without a line break. */
  end(): void {
    if (!this.#isSkipping) this.#lines(this.#rest);
  }

  #begin(piece: Buffer): Buffer {
    if (this.#isBegun) return piece;
    this.#isBegun = true;
    this.#isWide = isWide(piece);
    if (this.#isWide) this.#at.problem(wideProblem, 1);
    return piece.subarray(markBytes(piece));
  }

  #skipped(bytes: Buffer): Buffer {
    if (!this.#isSkipping) return bytes;
    const end = bytes.indexOf(newline);
    if (end < 0) return bytes.subarray(bytes.length);
    this.#isSkipping = false;
    this.#count += 1;
    return bytes.subarray(end + 1);
  }

  #lines(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (bytes.length > maxLineBytes || !isUtf8(bytes)) return this.#checked(bytes);
    const lines = bytes.toString('utf8').split('\n');
    if (lines.at(-1) === '') lines.pop();
    for (const line of lines) this.#line(line);
  }

  /** Decodes lines one at a time, after a check found an invalid one among them. */
  #checked(bytes: Buffer): void {
    for (let start = 0; start < bytes.length;) {
      const found = bytes.indexOf(newline, start);
      const end = found < 0 ? bytes.length : found;
      const line = bytes.subarray(start, end);
      if (isTooLong(line)) {
        this.#tooLong();
        this.#count += 1;
      } else if (isUtf8(line)) this.#line(line.toString('utf8'));
      else {
        this.#count += 1;
        this.#at.problem('is not UTF-8', this.#count);
      }
      start = end + 1;
    }
  }

  #line(text: string): void {
    this.#count += 1;
    this.#at.line = this.#count;
    this.#onLine(text);
  }

  #tooLong(): void {
    this.#at.problem(`is longer than ${maxLineBytes} bytes, the most that a line may have`, this.#count + 1);
  }
}

/**
 * Reads a file piece by piece; the buffer of a piece is used again. Stops after the size that the file had when it was opened, because one
 * that grows while it is read may never end.
 */
export const readPieces = async (file: WatchedFile, onPiece: (piece: Buffer) => void): Promise<number> => {
  const buffer = Buffer.allocUnsafeSlow(pieceBytes);
  let bytes = 0;
  while (bytes <= file.size) {
    const count = await file.read(buffer, bytes);
    if (count === 0) break;
    bytes += count;
    onPiece(buffer.subarray(0, count));
  }
  return bytes;
};

/** Size and hash (hex) of a file, from one pass. */
export interface FileFacts {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Reads a file once: counts, hashes and splits it. Memory use depends on the longest line, not on the file.
 * @param onLine called with each line without its newline, while `at.line` is its number
 * @param onBytes called with the size of each piece
 */
export const readLines = async (
  file: WatchedFile,
  at: FileFindings,
  onLine: (text: string) => void,
  onBytes: (count: number) => void,
): Promise<FileFacts> => {
  const lines = new LineSplitter(at, onLine);
  const hash = createHash('sha256');
  const bytes = await readPieces(file, (piece) => {
    hash.update(piece);
    lines.take(piece);
    onBytes(piece.length);
  });
  lines.end();
  return { bytes, sha256: hash.digest('hex') };
};
