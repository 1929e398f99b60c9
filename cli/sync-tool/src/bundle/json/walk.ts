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

const words = ['true', 'false', 'null'];
const escapes = new Set([...'"\\/bfnrt'].map((character) => character.charCodeAt(0)));
const hexDigits = /^[0-9a-fA-F]{4}$/;

/**
 * Scans the simple parts of a JSON text. Written without regular expressions, because a pattern over megabytes of text can exhaust the
 * stack.
 */
class JsonScanner {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The code unit at the current position, NaN at the end. */
  get here(): number {
    return this.text.charCodeAt(this.at);
  }

  /** Consumes one expected character. */
  expect(character: string): void {
    if (this.text[this.at] !== character) throw this.unexpected();
    this.at += 1;
  }

  blanks(): void {
    for (; ; this.at += 1) {
      const code = this.here;
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
    }
  }

  /** Consumes a text in quotes and returns its value. */
  string(): string {
    const start = this.at;
    let escaped = false;
    this.expect('"');
    for (let code = this.here; code !== 34; code = this.here) {
      if (!(code >= 32)) throw this.unexpected();
      this.at += 1;
      if (code === 92) this.#escape();
      escaped ||= code === 92;
    }
    this.at += 1;
    return escaped ? (JSON.parse(this.text.slice(start, this.at)) as string) : this.text.slice(start + 1, this.at - 1);
  }

  /** Consumes a number or a word. */
  scalar(): void {
    const word = words.find((word) => this.text.startsWith(word, this.at));
    if (word === undefined) this.#number();
    else this.at += word.length;
  }

  /** The error to throw at the current position. */
  unexpected(): JsonFault {
    const found = this.text.codePointAt(this.at);
    if (found === undefined) return new JsonFault(this.at, 'is not JSON: it ends too early');
    const shown = found > 32 && found < 127 ? String.fromCodePoint(found) : `U+${found.toString(16).padStart(4, '0')}`;
    return new JsonFault(this.at, `is not JSON: ${shown} is not expected there`);
  }

  #escape(): void {
    const code = this.here;
    if (code === 117 && hexDigits.test(this.text.slice(this.at + 1, this.at + 5))) this.at += 5;
    else if (escapes.has(code)) this.at += 1;
    else throw this.unexpected();
  }

  #number(): void {
    if (this.here === 45) this.at += 1;
    if (this.here === 48) this.at += 1;
    else this.#digits();
    if (this.here === 46) {
      this.at += 1;
      this.#digits();
    }
    if (this.here === 101 || this.here === 69) {
      this.at += 1;
      if ('+-'.includes(this.text.charAt(this.at))) this.at += 1;
      this.#digits();
    }
  }

  #digits(): void {
    if (!(this.here >= 48 && this.here <= 57)) throw this.unexpected();
    while (this.here >= 48 && this.here <= 57) this.at += 1;
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

class JsonWalker {
  readonly #scanner: JsonScanner;
  readonly #onMember: OnMember | undefined;
  readonly #path: (string | number)[] = [];
  #depth = 0;
  duplicate: JsonFacts['duplicate'] = null;

  constructor(text: string, onMember: OnMember | undefined) {
    this.#scanner = new JsonScanner(text);
    this.#onMember = onMember;
  }

  walk(): void {
    const scanner = this.#scanner;
    scanner.blanks();
    this.#value();
    scanner.blanks();
    if (scanner.at < scanner.text.length) throw scanner.unexpected();
  }

  #value(): void {
    const code = this.#scanner.here;
    if (code === 123) this.#object();
    else if (code === 91) this.#array();
    else if (code === 34) this.#scanner.string();
    else this.#scanner.scalar();
  }

  #object(): void {
    const seen = new Set<string>();
    this.#open();
    if (this.#scanner.here !== 125)
      do {
        this.#scanner.blanks();
        this.#member(seen);
      } while (this.#goesOn());
    this.#close('}');
  }

  #member(seen: Set<string>): void {
    const scanner = this.#scanner;
    const { at } = scanner;
    const name = scanner.string();
    if (seen.has(name)) this.duplicate ??= { name, at };
    seen.add(name);
    scanner.blanks();
    scanner.expect(':');
    scanner.blanks();
    this.#path.push(name);
    this.#onMember?.(this.#path, at);
    this.#value();
    this.#path.pop();
  }

  #array(): void {
    let index = 0;
    this.#open();
    if (this.#scanner.here !== 93)
      do {
        this.#scanner.blanks();
        this.#path.push(index);
        this.#value();
        this.#path.pop();
        index += 1;
      } while (this.#goesOn());
    this.#close(']');
  }

  #open(): void {
    const scanner = this.#scanner;
    this.#depth += 1;
    if (this.#depth > nestingLimit) throw new JsonFault(scanner.at, `nests deeper than ${nestingLimit} levels`);
    scanner.at += 1;
    scanner.blanks();
  }

  #goesOn(): boolean {
    const scanner = this.#scanner;
    scanner.blanks();
    if (scanner.here !== 44) return false;
    scanner.at += 1;
    return true;
  }

  #close(end: string): void {
    this.#scanner.expect(end);
    this.#depth -= 1;
  }
}

/**
 * Walks over a JSON text without building its value: finds the position of a syntax error, excessive nesting and duplicate members, which
 * `JSON.parse` does not report reliably.
 */
export const walkJson = (text: string, onMember?: OnMember): JsonFacts => {
  const walker = new JsonWalker(text, onMember);
  try {
    walker.walk();
    return { fault: null, duplicate: walker.duplicate };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return { fault: { at: error.at, text: error.message }, duplicate: walker.duplicate };
  }
};
