import { isUtf8 } from 'node:buffer';
import { quote } from '../describe.ts';
import { isWide, markBytes, wideProblem } from '../files/encoding.ts';
import type { FileFindings } from '../findings.ts';
import { isObject } from '../json/parse-line.ts';
import { hasLoneSurrogate } from '../json/surrogates.ts';
import { walkJson } from '../json/walk.ts';
import type { Part } from '../records/members.ts';
import { lineOf, pointer, type PointAt } from './manifest-findings.ts';

const textOf = (bytes: Buffer, at: FileFindings): string | null => {
  if (isWide(bytes)) at.problem(wideProblem);
  else if (!isUtf8(bytes)) at.problem('is not UTF-8');
  else return bytes.subarray(markBytes(bytes)).toString('utf8');
  return null;
};

/**
 * The manifest as an object, with a way to its lines. A problem is noted and null returned when it is none; unlike in records, a member
 * that stands twice is a problem too (bundle contract, 5).
 */
export const parseManifest = (bytes: Buffer, at: FileFindings): { manifest: Part; point: PointAt } | null => {
  const text = textOf(bytes, at);
  if (text === null) return null;
  const { fault, duplicate } = walkJson(text);
  if (fault !== null) {
    at.problem(text.trim() === '' ? 'is empty' : fault.text, lineOf(text, fault.at));
    return null;
  }
  if (duplicate !== null)
    at.problem(`has the member ${quote(duplicate.name)} twice in one object`, lineOf(text, duplicate.at));
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) at.problem('is not an object');
  else if (hasLoneSurrogate(text, value)) at.problem('holds half of a surrogate pair (\\ud800 to \\udfff) as a text');
  else return { manifest: { members: value, where: '' }, point: pointer(text, at) };
  return null;
};
