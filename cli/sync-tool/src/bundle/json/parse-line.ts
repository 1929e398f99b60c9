import { quote } from '../describe.ts';
import type { FileFindings } from '../findings.ts';
import { mayHaveDuplicates } from './duplicates.ts';
import { nestsTooDeep } from './nesting.ts';
import { hasLoneSurrogate } from './surrogates.ts';
import { walkJson } from './walk.ts';

/** An object as JSON gives it. Only its own members count, whatever they are called. */
export type Members = Readonly<Record<string, unknown>>;

/** Whether a parsed value is an object, neither null nor a list. */
export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parse = (text: string): unknown => {
  try {
    return nestsTooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Parses a line that holds one record; a problem is noted and null returned when it does not (bundle contract, 5). */
export const parseLine = (line: string, at: FileFindings): Members | null => {
  const value = parse(line);
  if (value === undefined) {
    const { fault } = walkJson(line);
    at.problem(fault === null ? 'is not JSON' : `${fault.text} (column ${fault.at + 1})`);
  } else if (!isObject(value)) at.problem('is not an object; each line holds one');
  else if (hasLoneSurrogate(line, value)) at.problem('holds half of a surrogate pair (\\ud800 to \\udfff) as a text');
  else return value;
  return null;
};

/** As `parseLine`, and warns of members that stand twice: the last one counts. */
export const parseLineWithCare = (line: string, at: FileFindings): Members | null => {
  const value = parseLine(line, at);
  const duplicate = value !== null && mayHaveDuplicates(line, value) ? walkJson(line).duplicate : null;
  if (duplicate !== null)
    at.warn('duplicate', `has the member ${quote(duplicate.name)} twice in one object; the last one counts`);
  return value;
};
