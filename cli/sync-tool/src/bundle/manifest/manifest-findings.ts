import type { FileFindings } from '../findings.ts';
import { walkJson } from '../json/parse-line.ts';

/** File name of the manifest. */
export const manifestName = 'manifest.json';

/** Returns a function that finds the line of a position in a text; positions must not decrease. */
const lineCounter = (text: string): ((at: number) => number) => {
  let line = 1;
  let from = 0;
  return (at) => {
    for (let end = text.indexOf('\n', from); end >= 0 && end < at; end = text.indexOf('\n', from)) {
      line += 1;
      from = end + 1;
    }
    return line;
  };
};

/** The line (from 1) of a position in a text. */
export const lineOf = (text: string, at: number): number => lineCounter(text)(at);

/** Returns findings at the line of a member of the manifest, such as `['files', 3, 'path']`. */
export type PointAt = (...path: readonly (string | number)[]) => FileFindings;

/** Locates the members of a manifest; a missing member has the location of its closest existing parent. */
export const pointer = (text: string, at: FileFindings): PointAt => {
  const lines = new Map<string, number>();
  const lineAt = lineCounter(text);
  walkJson(text, (path, place) => {
    if (path.length <= 3) lines.set(path.join('/'), lineAt(place));
  });
  return (...path) => {
    at.line = 1;
    for (let length = path.length; length > 0 && at.line === 1; length -= 1)
      at.line = lines.get(path.slice(0, length).join('/')) ?? 1;
    return at;
  };
};
