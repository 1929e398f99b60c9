import { LineTexts } from '../files/line-texts.ts';
import { type WatchedFile, withFile } from '../files/open-file.ts';
import { type FileFacts, isBlankLine, readFacts, readLines, readLinesOf } from '../files/read-lines.ts';
import type { FileFindings } from '../findings.ts';
import type { ListedFile } from '../manifest/files.ts';

/** The rest of a file, which somebody else reads. */
export interface Rest {
  /** Where it begins: the beginning of a line. */
  readonly from: number;
  /** Takes what was found there behind so many lines and returns the records; null when it has to be read here after all. */
  take(lines: number): Promise<number | null>;
  /** Size and hash of the whole file; null when they have to be found here after all. */
  facts(): Promise<FileFacts | null>;
}

/** What reading one file needs beside the file. */
export interface FileReading {
  /** Findings of the file, and those of the manifest, which promises what it holds. */
  readonly at: FileFindings;
  readonly manifest: FileFindings;
  /** Takes each line that is not blank; `at.line` is its number. */
  readonly onLine: (text: string) => void;
  readonly onBytes: (count: number) => void;
  /** Has the rest of the file read elsewhere at the same time. */
  readonly ahead?: ((file: WatchedFile) => Promise<Rest | undefined>) | undefined;
}

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
  // Lines that could not be read are not counted as records, and are problems of their own.
  if (at.problems === 0 && records !== file.records) differs('records', records, file.records);
};

/** Reads a file whose rest somebody else reads. Answers its facts, and the records of the rest that were not read here. */
const readWithHelp = async (watched: WatchedFile, texts: LineTexts, rest: Rest, { onBytes }: FileReading) => {
  const { from } = rest;
  await readLinesOf(watched, { from: 0, to: from }, texts, onBytes);
  const records = await rest.take(texts.count);
  if (records === null) await readLinesOf(watched, { from }, texts);
  onBytes(watched.size - from);
  return { facts: (await rest.facts()) ?? (await readFacts(watched)), records: records ?? 0 };
};

const readOpen = async (watched: WatchedFile, file: ListedFile, reading: FileReading): Promise<void> => {
  let records = 0;
  const texts = new LineTexts(reading.at, (text) => {
    if (isBlankLine(text)) return;
    records += 1;
    reading.onLine(text);
  });
  const rest = await reading.ahead?.(watched);
  const { facts, records: others } = rest
    ? await readWithHelp(watched, texts, rest, reading)
    : { facts: await readLines(watched, texts, reading.onBytes), records: 0 };
  if (await watched.isChanged())
    reading.manifest.problem(`${file.path} was changed while it was read; wait until the export has ended`, file.line);
  else compare(file, facts, records + others, reading);
};

/** Reads a file of the manifest once and compares it with what the manifest says of it (bundle contract, 2). */
export const readFile = (root: string, file: ListedFile, reading: FileReading): Promise<void> =>
  withFile(
    root,
    file.path,
    (problem) => reading.manifest.problem(`${file.path} ${problem}`, file.line),
    (watched) => readOpen(watched, file, reading),
  );
