import { FileFindings, type Findings } from '../findings.ts';
import type { Kind, ListedFile } from '../manifest/files.ts';
import { manifestName } from '../manifest/manifest-findings.ts';
import { noneKept, type Kept } from '../records/kept.ts';
import { readFile, type FileReading } from './read-file.ts';
import { Records, type ReadRecord } from './records.ts';

/** How far reading is. */
export interface ReadProgress {
  /** Path of the file being read, as the manifest names it. */
  readonly file: string;
  /** Bytes read so far, of all files together. */
  readonly bytes: number;
  readonly totalBytes: number;
}

/** Takes the lines of a file. */
export interface LineTaker {
  readonly take: (line: string) => void;
  readonly ahead?: FileReading['ahead'];
}

/** The files of one bundle while they are read. */
export class Source {
  /** The real path of the bundle. */
  readonly root: string;
  readonly #files: ReadonlyMap<Kind, ListedFile>;
  readonly #findings: Findings;
  readonly #manifest: FileFindings;
  readonly #onProgress: ((progress: ReadProgress) => void) | undefined;
  readonly #totalBytes: number;
  #bytes = 0;

  /** @param root the real path of the bundle */
  constructor(
    root: string,
    files: readonly ListedFile[],
    findings: Findings,
    onProgress: ((progress: ReadProgress) => void) | undefined,
  ) {
    this.root = root;
    this.#files = new Map(files.map((file) => [file.kind, file]));
    this.#findings = findings;
    this.#manifest = new FileFindings(findings, manifestName);
    this.#onProgress = onProgress;
    this.#totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** The records of a kind; none when the bundle does not have the kind. */
  async records<T>(kind: Kind, read: ReadRecord<T>, languages: ReadonlySet<string>): Promise<Kept<T>> {
    let records: Records<T> | undefined;
    await this.lines(kind, (at) => {
      records = new Records(read, at, languages);
      return { take: records.take };
    });
    return records?.kept ?? noneKept(`${kind}.jsonl`);
  }

  /** Reads the file of a kind, if there is one, line by line. */
  async lines(kind: Kind, begin: (at: FileFindings, file: ListedFile) => LineTaker): Promise<void> {
    const file = this.#files.get(kind);
    if (file === undefined) return;
    const at = new FileFindings(this.#findings, file.path);
    const { take, ahead } = begin(at, file);
    await readFile(this.root, file, {
      at,
      manifest: this.#manifest,
      onLine: take,
      ahead,
      onBytes: (count) => this.#report(file.path, count),
    });
  }

  #report(file: string, count: number): void {
    this.#bytes += count;
    this.#onProgress?.({ file, bytes: this.#bytes, totalBytes: this.#totalBytes });
  }
}
