import type { FileFindings } from '../findings.ts';
import { walkJson } from '../json/walk.ts';

/** Name of the file. */
export const manifestName = 'manifest.json';

/** Finds the line of a place in a text; places must not go back. */
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

/** The line (from 1) of a place in a text. */
export const lineOf = (text: string, at: number): number => lineCounter(text)(at);

/** Points the findings of the manifest at the line of a member: `['files', 3, 'path']`. */
export type PointAt = (...path: readonly (string | number)[]) => FileFindings;

/** Where the members of a manifest stand; a member that is missing is looked for where what should hold it begins. */
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
