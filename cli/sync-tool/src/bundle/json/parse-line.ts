import { type FileFindings, quote } from '../findings.ts';
import { nestingLimit, walkJson } from './walk.ts';

const escaped = /\\u[dD][89a-fA-F]/;

const isWellFormed = (value: unknown): boolean => {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  return Object.entries(value).every(([name, member]) => name.isWellFormed() && isWellFormed(member));
};

/** Whether a text or name of a parsed value contains half of a surrogate pair, which only an escape in the JSON text can produce. */
export const hasLoneSurrogate = (json: string, value: unknown): boolean =>
  json.includes('\\u') && escaped.test(json) && !isWellFormed(value);

const hasMoreThan = (text: string, character: string, limit: number): boolean => {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
    count += 1;
    if (count > limit) return true;
  }
  return false;
};

/** Returns the position after the quoted text that begins here. */
const behindString = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) return at + 1;
    if (code === 92) at += 1;
  }
  return text.length;
};

const depthExceeds = (text: string, limit: number): boolean => {
  let depth = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === 123 || code === 91) depth += 1;
    else if (code === 125 || code === 93) depth -= 1;
    if (depth > limit) return true;
    at = code === 34 ? behindString(text, at) : at + 1;
  }
  return false;
};

/** Whether a JSON text exceeds the maximum nesting. Counts brackets first, which is cheap: a text with few brackets cannot. */
const nestsTooDeep = (text: string): boolean =>
  (hasMoreThan(text, '{', nestingLimit / 2) || hasMoreThan(text, '[', nestingLimit / 2)) &&
  depthExceeds(text, nestingLimit);

const nameEnd = '":';

const countOf = (text: string, part: string): number => {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
};

const membersIn = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += membersIn(item);
  else {
    const names = Object.keys(value);
    count = names.length;
    for (const name of names) count += membersIn((value as Record<string, unknown>)[name]);
  }
  return count;
};

/**
 * Whether an object of a JSON text may have duplicate members, by comparing the number of names in the text and in the value. May return
 * true for an unusual layout; the caller then walks the text to decide.
 */
const mayHaveDuplicates = (text: string, value: unknown): boolean =>
  /"[ \t\r\n]/.test(text) || countOf(text, nameEnd) !== membersIn(value);

/** A JSON object. Callers must read only its own members, because names come from outside. */
export type Members = Readonly<Record<string, unknown>>;

/** Whether a parsed value is an object, not null and not a list. */
export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parse = (text: string): unknown => {
  try {
    return nestsTooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Parses a line with one record; for any other line it reports a problem and returns null (bundle contract, 5). */
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

/** As `parseLine`, and warns of duplicate members: the last one counts. */
export const parseLineWithCare = (line: string, at: FileFindings): Members | null => {
  const value = parseLine(line, at);
  const duplicate = value !== null && mayHaveDuplicates(line, value) ? walkJson(line).duplicate : null;
  if (duplicate !== null)
    at.warn('duplicate', `has the member ${quote(duplicate.name)} twice in one object; the last one counts`);
  return value;
};
