import { isUtf8 } from 'node:buffer';

/** An error of the document, to be appended to the name of its file. */
export class DocumentFault extends Error {}

const quote = 34;
const openList = 91;
const backslash = 92;
const closeList = 93;
const openObject = 123;
const closeObject = 125;

/** Maximum nesting (bundle contract, 5). */
const nestingLimit = 64;
/** The most bytes that one object, and all that is around the objects, may have. */
const sizeLimit = 256 * 1024 * 1024;
const endLength = 1_024;
/** Depth of the objects of a list of the outermost object. */
const listDepth = 2;

/** Bytes of a text that is read later; its memory is used again for the next one. */
class TextBuffer {
  #bytes = Buffer.allocUnsafeSlow(64 * 1024);
  #length = 0;

  add(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > sizeLimit) throw new DocumentFault(`has an object of over ${sizeLimit} bytes`);
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(length * 2);
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    bytes.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  /** The text so far. */
  text(): string {
    const bytes = this.#bytes.subarray(0, this.#length);
    if (!isUtf8(bytes)) throw new DocumentFault('is not UTF-8');
    return bytes.toString('utf8');
  }

  /** The end of the text, as far as it is ASCII. */
  end(): string {
    return this.#bytes.toString('latin1', Math.max(0, this.#length - endLength), this.#length);
  }

  clear(): void {
    this.#length = 0;
  }
}

const objectMark = Buffer.from('0');

/**
 * Cuts a document into the objects of one of its lists, piece by piece, so that memory use depends on the largest object. It looks at quotes
 * and brackets alone: whoever parses the objects, and what is around them, finds the errors.
 */
export class ListScanner {
  readonly #beforeList: RegExp;
  readonly #onObject: (json: string) => void;
  readonly #object = new TextBuffer();
  /** The document with 0 in place of each object. */
  readonly #around = new TextBuffer();
  #depth = 0;
  #isInList = false;
  #isInString = false;
  #isEscaped = false;

  /** @param list name of the list, a word, in the outermost object */
  constructor(list: string, onObject: (json: string) => void) {
    this.#beforeList = new RegExp(`[{,]\\s*"${list}"\\s*:\\s*$`);
    this.#onObject = onObject;
  }

  /** Scans the next piece. @throws DocumentFault */
  take(piece: Buffer): void {
    let from = 0;
    const keep = (to: number): void => {
      (this.#isInList && this.#depth > listDepth ? this.#object : this.#around).add(piece.subarray(from, to));
      from = to;
    };
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at];
      if (this.#isInString) this.#inString(byte);
      else if (byte === quote) this.#isInString = true;
      else if (byte === openObject || byte === openList) {
        if (this.#depth === listDepth - 1 || (this.#isInList && this.#depth === listDepth)) keep(at);
        this.#open(byte === openList);
      } else if (byte === closeObject || byte === closeList) {
        const isEnd = this.#isInList && this.#depth === listDepth + 1;
        if (isEnd) keep(at + 1);
        this.#depth -= 1;
        if (isEnd) this.#end();
        else if (this.#depth < listDepth) this.#isInList = false;
      }
    }
    keep(piece.length);
  }

  /** What is around the objects, with 0 in place of each. @throws DocumentFault */
  finish(): string {
    return this.#around.text();
  }

  #inString(byte: number | undefined): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) this.#isInString = false;
  }

  #open(isList: boolean): void {
    if (this.#depth === listDepth - 1) this.#isInList = isList && this.#beforeList.test(this.#around.end());
    this.#depth += 1;
    if (this.#depth > nestingLimit) throw new DocumentFault(`nests deeper than ${nestingLimit} levels`);
  }

  #end(): void {
    const json = this.#object.text();
    this.#object.clear();
    this.#around.add(objectMark);
    this.#onObject(json);
  }
}
