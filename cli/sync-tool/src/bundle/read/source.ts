import { type FileFacts, readLines, type WatchedFile, withFile } from '../files/read-lines.ts';
import { FileFindings, type Findings } from '../findings.ts';
import { parseLineWithCare } from '../json/parse-line.ts';
import type { Kind, ListedFile } from '../manifest/files.ts';
import { manifestName } from '../manifest/manifest-findings.ts';
import { type Kept, noneKept, type Part, recordContext, type RecordContext } from '../records/members.ts';

/** The input of reading one file. */
interface FileReading {
  /** Findings of the file, and those of the manifest, which declares the content of the file. */
  readonly at: FileFindings;
  readonly manifest: FileFindings;
  /** Called with each line that is not blank; `at.line` is its number. */
  readonly onLine: (text: string) => void;
  readonly onBytes: (count: number) => void;
}

const openingBrace = 123;

/** Whether a line is blank; blank lines are skipped. */
const isBlankLine = (text: string): boolean => text.charCodeAt(0) !== openingBrace && text.trim() === '';

const compare = (file: ListedFile, facts: FileFacts, records: number, { at, manifest }: FileReading): void => {
  const { path, line } = file;
  const differs = (what: string, found: number, listed: number) =>
    manifest.problem(`${path} has ${found} ${what}, the manifest says ${listed}; export or copy it again`, line);
  if (facts.bytes !== file.bytes) differs('bytes', facts.bytes, file.bytes);
  else if (facts.sha256 !== file.sha256)
    manifest.problem(
      `${path} has the sha256 ${facts.sha256}, the manifest says ${file.sha256}; export or copy it again`,
      line,
    );
  // Unreadable lines do not count as records, and are reported separately.
  if (at.problems === 0 && records !== file.records) differs('records', records, file.records);
};

const readOpen = async (watched: WatchedFile, file: ListedFile, reading: FileReading): Promise<void> => {
  const { at, manifest, onLine, onBytes } = reading;
  let records = 0;
  const take = (text: string): void => {
    if (isBlankLine(text)) return;
    records += 1;
    onLine(text);
  };
  const facts = await readLines(watched, at, take, onBytes);
  if (await watched.isChanged())
    manifest.problem(`${file.path} was changed while it was read; wait until the export has ended`, file.line);
  else compare(file, facts, records, reading);
};

/** Reads a file of the manifest once and compares it with its manifest entry (bundle contract, 2). */
const readFile = (root: string, file: ListedFile, reading: FileReading): Promise<void> =>
  withFile(
    root,
    file.path,
    (problem) => reading.manifest.problem(`${file.path} ${problem}`, file.line),
    (watched) => readOpen(watched, file, reading),
  );

/** Reads one record; reports problems in the context. */
type ReadRecord<T> = (part: Part, context: RecordContext) => T;

/** Collects the records of one file; drops records with problems, so that one problem does not cause others. */
class Records<T> {
  readonly kept: Kept<T>;
  readonly #read: ReadRecord<T>;
  readonly #context: RecordContext;

  constructor(read: ReadRecord<T>, at: FileFindings, languages: ReadonlySet<string>) {
    this.kept = noneKept(at.file);
    this.#read = read;
    this.#context = recordContext(at, languages);
  }

  /** Reads one line. */
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

/** Progress of reading. */
export interface ReadProgress {
  /** Path of the current file, as in the manifest. */
  readonly file: string;
  /** Bytes read so far in all files. */
  readonly bytes: number;
  readonly totalBytes: number;
}

/** The files of one bundle during reading. */
export class Source {
  readonly #root: string;
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
    this.#root = root;
    this.#files = new Map(files.map((file) => [file.kind, file]));
    this.#findings = findings;
    this.#manifest = new FileFindings(findings, manifestName);
    this.#onProgress = onProgress;
    this.#totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Reads the records of a kind; empty when the bundle lacks the kind. */
  async records<T>(kind: Kind, read: ReadRecord<T>, languages: ReadonlySet<string>): Promise<Kept<T>> {
    let records: Records<T> | undefined;
    await this.lines(kind, (at) => {
      records = new Records(read, at, languages);
      return records.take;
    });
    return records?.kept ?? noneKept(`${kind}.jsonl`);
  }

  /** Reads the file of a kind line by line, if there is one. */
  async lines(kind: Kind, begin: (at: FileFindings) => (line: string) => void): Promise<void> {
    const file = this.#files.get(kind);
    if (file === undefined) return;
    const at = new FileFindings(this.#findings, file.path);
    await readFile(this.#root, file, {
      at,
      manifest: this.#manifest,
      onLine: begin(at),
      onBytes: (count) => this.#report(file.path, count),
    });
  }

  #report(file: string, count: number): void {
    this.#bytes += count;
    this.#onProgress?.({ file, bytes: this.#bytes, totalBytes: this.#totalBytes });
  }
}
