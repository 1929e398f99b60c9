import { nestingLimit } from './nesting.ts';
import { JsonFault, JsonScanner } from './scanner.ts';

/** Is told of each member: the names and positions of the list that lead to it, and where its name begins. */
export type OnMember = (path: readonly (string | number)[], at: number) => void;

/** What a walk over a JSON text finds out beside what `JSON.parse` says. Places count from 0. */
export interface JsonFacts {
  readonly fault: { readonly at: number; readonly text: string } | null;
  /** The first name that stands twice in one object. */
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
 * Walks over a JSON text without building it: finds where it is wrong, what nests too deeply, and members that stand twice, none of which
 * `JSON.parse` tells reliably.
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
