import { isUtf8 } from 'node:buffer';
import { isObject } from '@ranger-relay/errors';
import { type BundleFolder, isWide, markBytes, readBytes, wideProblem, withFile } from '../files/read-lines.ts';
import { type FileFindings, quote } from '../findings.ts';
import { hasLoneSurrogate, type Members, walkJson } from './parse-line.ts';

/** Returns findings at the line of a member of the document, such as `['files', 3, 'path']`. */
export type PointAt = (...path: readonly (string | number)[]) => FileFindings;

/** Locates the members of a document; a missing member has the location of its closest existing parent. */
const pointer = (text: string, at: FileFindings): PointAt => {
  const lines = new Map<string, number>();
  walkJson(text, (path, line) => {
    if (path.length <= 3) lines.set(path.join('/'), line);
  });
  return (...path) => {
    at.line = 1;
    for (let length = path.length; length > 0 && at.line === 1; length -= 1)
      at.line = lines.get(path.slice(0, length).join('/')) ?? 1;
    return at;
  };
};

/** A document of one object: a manifest, or a file of an exported bundle. */
export interface ReadDocument {
  readonly bytes: Buffer;
  readonly members: Members;
  readonly point: PointAt;
}

const decoded = (bytes: Buffer, at: FileFindings): string | null => {
  if (isWide(bytes)) at.problem(wideProblem);
  else if (!isUtf8(bytes)) at.problem('is not UTF-8');
  else return bytes.subarray(markBytes(bytes)).toString('utf8');
  return null;
};

/** Parses a document; reports a problem and returns null when it is not a valid object. A duplicate member is left to the caller. */
const parseDocument = (bytes: Buffer, at: FileFindings, onDuplicate: OnDuplicate): ReadDocument | null => {
  const text = decoded(bytes, at);
  if (text === null) return null;
  const { fault, duplicate } = walkJson(text);
  if (fault !== null) {
    at.problem(text.trim() === '' ? 'is empty' : fault.text, fault.line);
    return null;
  }
  if (duplicate !== null) onDuplicate(quote(duplicate.name), duplicate.line);
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) at.problem('is not an object');
  else if (hasLoneSurrogate(text, value)) at.problem('holds half of a surrogate pair (\\ud800 to \\udfff) as a text');
  else {
    let located: PointAt | undefined;
    return { bytes, members: value, point: (...path) => (located ??= pointer(text, at))(...path) };
  }
  return null;
};

/** Called for the first member that stands twice in one object, with its quoted name and its line. */
export type OnDuplicate = (name: string, line: number) => void;

/** Reads a document of at most so many bytes; reports a problem and returns null when it cannot be used (bundle contract, 5). */
export const readDocument = async (
  folder: BundleFolder,
  at: FileFindings,
  sizeLimit: number,
  onDuplicate: OnDuplicate,
): Promise<ReadDocument | null> => {
  const onProblem = (problem: string): void => at.problem(`${at.file} ${problem}`);
  const whole = await withFile(folder, at.file, onProblem, async (file) => {
    if (file.size > sizeLimit) return void at.problem(`is over ${sizeLimit} bytes, the most that it may have`);
    const bytes = await readBytes(file);
    if (await file.isChanged())
      return void at.problem('was changed while it was read; wait until the export has ended');
    return bytes;
  });
  return whole === undefined ? null : parseDocument(whole, at, onDuplicate);
};
