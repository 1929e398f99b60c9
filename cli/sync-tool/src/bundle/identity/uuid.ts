/** Value of each digit by its code; -1 for what is none. */
const digits = new Int8Array(256).fill(-1);
for (let value = 0; value < 16; value += 1) {
  digits[value.toString(16).charCodeAt(0)] = value;
  digits[value.toString(16).toUpperCase().charCodeAt(0)] = value;
}

const digitAt = (text: string, at: number): number => digits[text.charCodeAt(at)] ?? -1;

/** Four digits as a number; negative when they are not all digits. */
const four = (text: string, at: number): number =>
  (digitAt(text, at) << 12) | (digitAt(text, at + 1) << 8) | (digitAt(text, at + 2) << 4) | digitAt(text, at + 3);

const isDash = (text: string, at: number): boolean => text.charCodeAt(at) === 45;

const hasDashes = (text: string): boolean =>
  isDash(text, 8) && isDash(text, 13) && isDash(text, 18) && isDash(text, 23);

/**
 * A uuid as four whole numbers, read in place: patrols name so many that a text for each would cost more than all else. Spelling, dashed or
 * not and in whatever case, makes no difference (bundle contract, 2).
 */
export class UuidWords {
  a = 0;
  b = 0;
  c = 0;
  d = 0;

  /** Whether the text is a uuid; not when it is all zero. */
  read(text: string): boolean {
    if (text.length === 32) return this.#read(text, 0, 0, 0, 0);
    return text.length === 36 && hasDashes(text) && this.#read(text, 1, 2, 3, 4);
  }

  /** Reads the digits of a text, with the number of dashes before each part that a dash stands before. */
  #read(text: string, first: number, second: number, third: number, fourth: number): boolean {
    const p0 = four(text, 0);
    const p1 = four(text, 4);
    const p2 = four(text, 8 + first);
    const p3 = four(text, 12 + second);
    const p4 = four(text, 16 + third);
    const p5 = four(text, 20 + fourth);
    const p6 = four(text, 24 + fourth);
    const p7 = four(text, 28 + fourth);
    if ((p0 | p1 | p2 | p3 | p4 | p5 | p6 | p7) <= 0) return false;
    this.a = (p0 << 16) | p1;
    this.b = (p2 << 16) | p3;
    this.c = (p4 << 16) | p5;
    this.d = (p6 << 16) | p7;
    return true;
  }

  /** The canonical spelling: 32 lower-case hex digits. */
  text(): string {
    return [this.a, this.b, this.c, this.d].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }
}

const wordsPerSlot = 5;
const minSlots = 1024;
/** A manifest is believed so far before its file is read. */
const maxSlotsAhead = 1 << 19;

/** Spreads ids over the slots, also those that differ in their first digits alone. */
const mix = (a: number, b: number, c: number, d: number): number => {
  const sum = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35) ^ Math.imul(d, 0x27d4eb2f);
  const turned = Math.imul(sum ^ (sum >>> 15), 0x2c1b3c6d);
  return turned ^ (turned >>> 13);
};

const slotsFor = (expected: number): number => {
  let slots = minSlots;
  while (slots < maxSlotsAhead && slots <= 2 * expected) slots *= 2;
  return slots;
};

/** A number for each uuid. All lie in one flat array: a map of texts would take several times the memory and the time. */
export class UuidTable {
  #slots: number;
  #words: Int32Array<ArrayBuffer>;
  #used = 0;

  /** @param expected about how many uuids will come: a table that grows is filled several times over */
  constructor(expected = 0) {
    this.#slots = slotsFor(expected);
    this.#words = new Int32Array(this.#slots * wordsPerSlot);
  }

  /** The number of a uuid, 0 when it has none. */
  get({ a, b, c, d }: UuidWords): number {
    return this.#words[this.#find(a, b, c, d) + 4] ?? 0;
  }

  /** Gives a uuid a number from 1 on, unless it has one. Returns the one that it had, 0 when it is new. */
  add({ a, b, c, d }: UuidWords, number: number): number {
    if (this.#used * 2 >= this.#slots) this.#grow();
    const at = this.#find(a, b, c, d);
    const known = this.#words[at + 4] ?? 0;
    if (known !== 0) return known;
    this.#used += 1;
    this.#put(at, a, b, c, d, number);
    return 0;
  }

  /** All of it, five numbers for each place: a uuid and its number, which is 0 where there is none. */
  words(): Int32Array<ArrayBuffer> {
    return this.#words;
  }

  /** Whether a uuid of another table stands in this one too. */
  sharesAny(other: Int32Array): boolean {
    for (let at = 0; at < other.length; at += wordsPerSlot) {
      if (other[at + 4] === 0) continue;
      const [a = 0, b = 0, c = 0, d = 0] = [other[at], other[at + 1], other[at + 2], other[at + 3]];
      if (this.#words[this.#find(a, b, c, d) + 4] !== 0) return true;
    }
    return false;
  }

  /** Where a uuid lies, or would lie. */
  #find(a: number, b: number, c: number, d: number): number {
    const words = this.#words;
    const mask = this.#slots - 1;
    for (let slot = mix(a, b, c, d) & mask; ; slot = (slot + 1) & mask) {
      const at = slot * wordsPerSlot;
      if (words[at + 4] === 0) return at;
      if (words[at] === a && words[at + 1] === b && words[at + 2] === c && words[at + 3] === d) return at;
    }
  }

  #put(at: number, a: number, b: number, c: number, d: number, number: number): void {
    const words = this.#words;
    words[at] = a;
    words[at + 1] = b;
    words[at + 2] = c;
    words[at + 3] = d;
    words[at + 4] = number;
  }

  #grow(): void {
    const old = this.#words;
    this.#slots *= 2;
    this.#words = new Int32Array(this.#slots * wordsPerSlot);
    for (let at = 0; at < old.length; at += wordsPerSlot) {
      const [a = 0, b = 0, c = 0, d = 0] = [old[at], old[at + 1], old[at + 2], old[at + 3]];
      const number = old[at + 4] ?? 0;
      if (number !== 0) this.#put(this.#find(a, b, c, d), a, b, c, d, number);
    }
  }
}

const words = new UuidWords();

const canonicalForm = /^[0-9a-f]{32}$/;

/** A uuid in its canonical spelling, 32 lower-case hex digits; null when the text is none, or all zero (bundle contract, 2). */
export const canonicalUuid = (text: string): string | null => {
  if (!words.read(text)) return null;
  return canonicalForm.test(text) ? text : words.text();
};
