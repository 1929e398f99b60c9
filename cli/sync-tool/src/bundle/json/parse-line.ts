import { printParseErrorCode, visit } from 'jsonc-parser';
import { type FileFindings, quote } from '../findings.ts';

/** Maximum nesting of a record or manifest (bundle contract, 5). */
const nestingLimit = 64;

/** An error in a JSON text; `at` counts from 0. */
class JsonFault extends Error {
  readonly at: number;

  constructor(at: number, text: string) {
    super(text);
    this.at = at;
  }
}

/** Called for each member with its path of names and list positions, and the position of its name. */
type OnMember = (path: readonly (string | number)[], at: number) => void;

/** Facts about a JSON text that `JSON.parse` does not report. Positions count from 0. */
interface JsonFacts {
  readonly fault: { readonly at: number; readonly text: string } | null;
  /** The first name that occurs twice in one object. */
  readonly duplicate: { readonly name: string; readonly at: number } | null;
}

/** Describes an error at a token of the text, or at its end. */
const faultOf = (text: string, error: string, start: number, length: number): JsonFault => {
  // The parser points at the quoted text that a control character is in.
  const inside = error === 'InvalidCharacter' ? text.slice(start, start + length).search(/[^ -\u{10FFFF}]/u) : 0;
  const at = start + Math.max(0, inside);
  const found = text.codePointAt(at);
  if (found === undefined || error === 'UnexpectedEndOfString')
    return new JsonFault(at, 'is not JSON: it ends too early');
  if (error === 'InvalidEscapeCharacter' || error === 'InvalidUnicode')
    return new JsonFault(at, 'is not JSON: a text has an invalid escape');
  const shown = found > 32 && found < 127 ? String.fromCodePoint(found) : `U+${found.toString(16).padStart(4, '0')}`;
  return new JsonFault(at, `is not JSON: ${shown} is not expected there`);
};

/**
 * Walks over a JSON text without building its value: finds the position of a syntax error, excessive nesting and duplicate members, which
 * `JSON.parse` does not report reliably.
 */
export const walkJson = (text: string, onMember?: OnMember): JsonFacts => {
  let duplicate: JsonFacts['duplicate'] = null;
  let depth = 0;
  /** The names in each open object. */
  const seen: Set<string>[] = [];
  const open = (at: number): void => {
    depth += 1;
    if (depth > nestingLimit) throw new JsonFault(at, `nests deeper than ${nestingLimit} levels`);
  };
  try {
    visit(
      text,
      {
        onObjectBegin(at) {
          open(at);
          seen.push(new Set());
        },
        onObjectProperty(name, at, _length, _line, _column, pathOf) {
          const names = seen.at(-1);
          if (names?.has(name)) duplicate ??= { name, at };
          names?.add(name);
          onMember?.([...pathOf(), name], at);
        },
        onObjectEnd() {
          depth -= 1;
          seen.pop();
        },
        onArrayBegin: open,
        onArrayEnd: () => void (depth -= 1),
        onError(error, at, length) {
          throw faultOf(text, printParseErrorCode(error), at, length);
        },
      },
      { disallowComments: true },
    );
    return { fault: null, duplicate };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return { fault: { at: error.at, text: error.message }, duplicate };
  }
};

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

const isDeeper = (value: unknown, left: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (left === 0 || Object.values(value).some((each) => isDeeper(each, left - 1)));

/** Whether a parsed text exceeds the maximum nesting. Counts brackets first, which is cheap: a text with few brackets cannot. */
const nestsTooDeep = (text: string, value: unknown): boolean =>
  (hasMoreThan(text, '{', nestingLimit / 2) || hasMoreThan(text, '[', nestingLimit / 2)) &&
  isDeeper(value, nestingLimit);

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
    const value: unknown = JSON.parse(text);
    return nestsTooDeep(text, value) ? undefined : value;
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
