import { isObject } from '@ranger-relay/errors';
import { printParseErrorCode, visit } from 'jsonc-parser';
import { type FileFindings, quote } from '../findings.ts';

/** Maximum nesting of a record or manifest (bundle contract, 5). */
const nestingLimit = 64;

/** An error in a JSON text: `at` counts from 0, lines from 1. */
interface Fault {
  readonly at: number;
  readonly line: number;
  readonly text: string;
}

class JsonFault extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.text);
    this.fault = fault;
  }
}

/** Called for each member with its path of names and list positions, and its line. */
type OnMember = (path: readonly (string | number)[], line: number) => void;

/** Facts about a JSON text that `JSON.parse` does not report. Lines count from 1. */
interface JsonFacts {
  readonly fault: Fault | null;
  /** The first name that occurs twice in one object. */
  readonly duplicate: { readonly name: string; readonly line: number } | null;
}

/** Describes an error at a token of the text, or at its end. */
const faultOf = (text: string, error: string, start: number, length: number): Pick<Fault, 'at' | 'text'> => {
  // The parser points at the quoted text that a control character is in.
  const inside = error === 'InvalidCharacter' ? text.slice(start, start + length).search(/[^ -\u{10FFFF}]/u) : 0;
  const at = start + Math.max(0, inside);
  const found = text.codePointAt(at);
  if (found === undefined || error === 'UnexpectedEndOfString') return { at, text: 'is not JSON: it ends too early' };
  if (error === 'InvalidEscapeCharacter' || error === 'InvalidUnicode')
    return { at, text: 'is not JSON: a text has an invalid escape' };
  const shown = found > 32 && found < 127 ? String.fromCodePoint(found) : `U+${found.toString(16).padStart(4, '0')}`;
  return { at, text: `is not JSON: ${shown} is not expected there` };
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
  const open = (at: number, _length: number, line: number): void => {
    depth += 1;
    if (depth > nestingLimit)
      throw new JsonFault({ at, line: line + 1, text: `nests deeper than ${nestingLimit} levels` });
  };
  try {
    visit(
      text,
      {
        onObjectBegin(at, length, line) {
          open(at, length, line);
          seen.push(new Set());
        },
        onObjectProperty(name, _at, _length, line, _column, pathOf) {
          const names = seen.at(-1);
          if (names?.has(name)) duplicate ??= { name, line: line + 1 };
          names?.add(name);
          onMember?.([...pathOf(), name], line + 1);
        },
        onObjectEnd() {
          depth -= 1;
          seen.pop();
        },
        onArrayBegin: open,
        onArrayEnd: () => void (depth -= 1),
        onError(error, at, length, line) {
          throw new JsonFault({ ...faultOf(text, printParseErrorCode(error), at, length), line: line + 1 });
        },
      },
      { disallowComments: true },
    );
    return { fault: null, duplicate };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return { fault: error.fault, duplicate };
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

/** A JSON object. Callers must read only its own members, because names come from outside. */
export type Members = Readonly<Record<string, unknown>>;

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
  const duplicate = value === null ? null : walkJson(line).duplicate;
  if (duplicate !== null)
    at.warn('duplicate', `has the member ${quote(duplicate.name)} twice in one object; the last one counts`);
  return value;
};
