import { printParseErrorCode, visit } from 'jsonc-parser';

/** Maximum nesting of a record or manifest (bundle contract, 5). */
export const nestingLimit = 64;

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
