import { isUtf8 } from 'node:buffer';

/** One of nested lists of objects: its name in the object around it, and the members of its own objects that are read. */
export interface ListLevel {
  readonly list: string;
  readonly members: ReadonlySet<string>;
}

/**
 * Receives the objects of the lists: the level of the list (-1 for the outermost object) and the JSON text of the object, in which the next
 * list is empty and members that are not read are null. The objects of an inner list come before the object around them.
 */
export type OnObject = (level: number, json: string) => void;

/** An error of the document, to be appended to the name of its file. */
export class DocumentFault extends Error {}

const quote = 34;
const comma = 44;
const colon = 58;
const openList = 91;
const backslash = 92;
const closeList = 93;
const openObject = 123;
const closeObject = 125;

const isSpace = (byte: number): boolean => byte === 32 || byte === 10 || byte === 13 || byte === 9;

/** Maximum nesting (bundle contract, 5). */
const nestingLimit = 64;

/** The bytes of an object while it is read. */
class Capture {
  #bytes = Buffer.allocUnsafe(4_096);
  length = 0;

  add(piece: Buffer, from = 0, to = piece.length): void {
    const length = this.length + to - from;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(length * 2);
      this.#bytes.copy(larger, 0, 0, this.length);
      this.#bytes = larger;
    }
    // Most pieces are names, for which a loop is faster.
    if (to - from > 32) piece.copy(this.#bytes, this.length, from, to);
    else for (let at = from; at < to; at += 1) this.#bytes[this.length + at - from] = piece[at] as number;
    this.length = length;
  }

  /** Whether the bytes from one place to another are these. */
  holds(bytes: Buffer, from: number, to: number): boolean {
    if (to - from !== bytes.length) return false;
    for (let at = 0; at < bytes.length; at += 1) if (this.#bytes[from + at] !== bytes[at]) return false;
    return true;
  }

  text(): string {
    const bytes = this.#bytes.subarray(0, this.length);
    if (!isUtf8(bytes)) throw new DocumentFault('is not UTF-8');
    return bytes.toString('utf8');
  }
}

const openBytes = Buffer.from('{');
const nullBytes = Buffer.from('null');
const listBytes = Buffer.from('[]');

/**
 * `start`: before the outermost object; `members`: in an object, reading; `skip`: in a member that is not read; `value`: before the value of a
 * list's name; `list`: between the objects of a list; `end`: behind the outermost object.
 */
type Mode = 'start' | 'members' | 'skip' | 'value' | 'list' | 'end';

/** A level with its names as bytes, for names are compared often. */
interface LevelBytes {
  readonly list: Buffer | undefined;
  /** Members of the objects around the list. */
  readonly members: readonly Buffer[];
}

/** What is read of the objects at each depth, from the outermost one. */
const bytesOf = (levels: readonly ListLevel[]): readonly LevelBytes[] =>
  [undefined, ...levels].map((level, depth) => {
    const list = levels[depth]?.list;
    return {
      list: list === undefined ? undefined : Buffer.from(list),
      members: [...(level?.members ?? [])].map((name) => Buffer.from(name)),
    };
  });

/**
 * Reads a document of nested lists piece by piece: memory use depends on what is read of its largest object, not on the document. Of what is
 * not read only quotes and brackets are looked at; what is read is parsed by the receiver, which finds its errors.
 */
export class NestedLists {
  readonly #levels: readonly ListLevel[];
  readonly #bytes: readonly LevelBytes[];
  readonly #onObject: OnObject;
  /** One for the open object of each level, the outermost first; used again by the next object of the level. */
  readonly #captures: readonly Capture[];
  /** Number of open objects. */
  #depth = 0;
  /** The open brackets: whether each is an object's. */
  readonly #open: boolean[] = [];
  #mode: Mode = 'start';
  #isInString = false;
  #isEscaped = false;
  /** The name of the current member: whether one comes next or is being read, and its place in the capture. */
  #nameState: 'next' | 'open' | 'read' = 'read';
  #nameFrom = 0;
  #nameTo = 0;
  /** In a list: whether an object, and whether its end, may come next. */
  #mayBegin = true;
  #mayEnd = false;

  constructor(levels: readonly ListLevel[], onObject: OnObject) {
    this.#levels = levels;
    this.#bytes = bytesOf(levels);
    this.#captures = this.#bytes.map(() => new Capture());
    this.#onObject = onObject;
  }

  /**
   * Reads the next piece.
   * @throws DocumentFault when the document is not JSON, or a list holds something other than objects
   */
  take(piece: Buffer): void {
    for (let at = 0; at < piece.length;) {
      if (this.#mode === 'members') at = this.#members(piece, at);
      else if (this.#mode === 'skip') at = this.#skip(piece, at);
      else at = isSpace(piece[at] as number) ? at + 1 : this.#between(piece, at);
    }
  }

  /**
   * Ends the document.
   * @throws DocumentFault when it is not complete
   */
  finish(): void {
    if (this.#mode === 'start') throw new DocumentFault('is empty');
    if (this.#mode !== 'end') throw new DocumentFault('is not JSON: it ends too early');
  }

  /** Depth of the members of the current object: lists and objects take turns. */
  get #memberDepth(): number {
    return this.#depth * 2 - 1;
  }

  get #capture(): Capture {
    return this.#captures[this.#depth - 1] as Capture;
  }

  /** Reads members up to the end of the object, of a name or of the piece; returns where to go on. */
  #members(piece: Buffer, start: number): number {
    const capture = this.#capture;
    const depth = this.#memberDepth;
    let at = start;
    while (at < piece.length) {
      if (this.#isInString) {
        at = this.#behindString(piece, at);
        if (this.#isInString || this.#nameState !== 'open') continue;
        this.#nameState = 'read';
        this.#nameTo = capture.length + at - 1 - start;
        continue;
      }
      const byte = piece[at] as number;
      at += 1;
      if (byte === quote) {
        this.#isInString = true;
        if (this.#nameState !== 'next') continue;
        this.#nameState = 'open';
        this.#nameFrom = capture.length + at - start;
      } else if (byte === openObject || byte === openList) this.#push(byte === openObject);
      else if (byte === closeObject || byte === closeList) {
        this.#pop(byte === closeObject);
        if (this.#open.length >= depth) continue;
        capture.add(piece, start, at);
        this.#endObject(capture);
        return at;
      } else if (byte === comma && this.#open.length === depth) this.#nameState = 'next';
      else if (byte === colon && this.#open.length === depth) {
        capture.add(piece, start, at);
        this.#beginValue(capture);
        return at;
      }
    }
    capture.add(piece, start, at);
    return at;
  }

  /** Decides what becomes of the value behind a name. */
  #beginValue(capture: Capture): void {
    const { list, members } = this.#bytes[this.#depth - 1] as LevelBytes;
    const [from, to] = [this.#nameFrom, this.#nameTo];
    if (list && capture.holds(list, from, to)) this.#mode = 'value';
    else if (!members.some((name) => capture.holds(name, from, to))) {
      capture.add(nullBytes);
      this.#mode = 'skip';
    }
  }

  /** Passes over a value; returns the place of the comma or bracket behind it. */
  #skip(piece: Buffer, start: number): number {
    const depth = this.#memberDepth;
    let at = start;
    while (at < piece.length) {
      if (this.#isInString) {
        at = this.#behindString(piece, at);
        continue;
      }
      const byte = piece[at] as number;
      if ((byte === comma || byte === closeObject) && this.#open.length === depth) {
        this.#mode = 'members';
        return at;
      }
      at += 1;
      if (byte === quote) this.#isInString = true;
      else if (byte === openObject || byte === openList) this.#push(byte === openObject);
      else if (byte === closeObject || byte === closeList) this.#pop(byte === closeObject);
    }
    return at;
  }

  /** Outside of objects, at a byte that is no space; returns where to go on. */
  #between(piece: Buffer, at: number): number {
    const byte = piece[at] as number;
    if (this.#mode === 'value') return this.#beginList(byte, at);
    if (this.#mode === 'end') throw new DocumentFault('is not JSON: there is more text behind its end');
    if (byte === openObject && this.#mayBegin) this.#beginObject();
    else if (this.#mode === 'start') throw new DocumentFault('is not an object');
    else if (byte === comma && !this.#mayBegin) [this.#mayBegin, this.#mayEnd] = [true, false];
    else if (byte === closeList && this.#mayEnd) {
      this.#pop(false);
      this.#mode = 'members';
    } else
      throw new DocumentFault(
        `is not JSON, or ${this.#levels[this.#depth - 1]?.list ?? ''} holds something other than objects`,
      );
    return at + 1;
  }

  #beginList(byte: number, at: number): number {
    this.#mode = 'members';
    if (byte !== openList) return at;
    this.#mode = 'list';
    [this.#mayBegin, this.#mayEnd] = [true, true];
    this.#push(false);
    this.#capture.add(listBytes);
    return at + 1;
  }

  #beginObject(): void {
    this.#depth += 1;
    this.#capture.length = 0;
    this.#capture.add(openBytes);
    this.#push(true);
    this.#mode = 'members';
    this.#nameState = 'next';
  }

  #endObject(capture: Capture): void {
    this.#depth -= 1;
    this.#mode = this.#depth === 0 ? 'end' : 'list';
    [this.#mayBegin, this.#mayEnd] = [false, true];
    this.#onObject(this.#depth - 1, capture.text());
  }

  #push(isObject: boolean): void {
    this.#open.push(isObject);
    if (this.#open.length > nestingLimit) throw new DocumentFault(`nests deeper than ${nestingLimit} levels`);
  }

  #pop(isObject: boolean): void {
    if (this.#open.pop() !== isObject) throw new DocumentFault('is not JSON: its brackets do not match');
  }

  /** Returns the place behind the quoted text, or the end of the piece. */
  #behindString(piece: Buffer, start: number): number {
    let at = start;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      at += 1;
    }
    for (; at < piece.length; at += 1) {
      const byte = piece[at] as number;
      if (byte === quote) {
        this.#isInString = false;
        return at + 1;
      }
      if (byte === backslash) at += 1;
    }
    this.#isEscaped = at > piece.length;
    return piece.length;
  }
}
