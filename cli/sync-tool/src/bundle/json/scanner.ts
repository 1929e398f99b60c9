/** Where a JSON text is wrong: `at` counts from 0. */
export class JsonFault extends Error {
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
 * Passes over the plain parts of a JSON text. By hand: a pattern over a text of megabytes can exhaust the stack of the pattern matcher.
 */
export class JsonScanner {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The code unit here, NaN at the end. */
  get here(): number {
    return this.text.charCodeAt(this.at);
  }

  /** Passes one expected character. */
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

  /** Passes a text in quotes and returns what it stands for. */
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

  /** Passes a number or a word. */
  scalar(): void {
    const word = words.find((word) => this.text.startsWith(word, this.at));
    if (word === undefined) this.#number();
    else this.at += word.length;
  }

  /** What to throw when the text cannot go on like this. */
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
