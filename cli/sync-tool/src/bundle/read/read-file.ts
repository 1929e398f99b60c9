import { type WatchedFile, withFile } from '../files/open-file.ts';
import { type FileFacts, readLines } from '../files/read-lines.ts';
import type { FileFindings } from '../findings.ts';
import type { ListedFile } from '../manifest/files.ts';

/** What reading one file needs beside the file. */
export interface FileReading {
  /** Findings of the file, and those of the manifest, which promises what it holds. */
  readonly at: FileFindings;
  readonly manifest: FileFindings;
  /** Takes each line that is not blank; `at.line` is its number. */
  readonly onLine: (text: string) => void;
  readonly onBytes: (count: number) => void;
}

const openingBrace = 123;

/** Whether a line holds nothing: such lines are passed over. */
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
  // Lines that could not be read are not counted as records, and are problems of their own.
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

/** Reads a file of the manifest once and compares it with what the manifest says of it (bundle contract, 2). */
export const readFile = (root: string, file: ListedFile, reading: FileReading): Promise<void> =>
  withFile(
    root,
    file.path,
    (problem) => reading.manifest.problem(`${file.path} ${problem}`, file.line),
    (watched) => readOpen(watched, file, reading),
  );
