import type { UuidWords } from './uuid-words.ts';

const wordsPerSlot = 5;
const fewestSlots = 1024;
/** A manifest is believed so far before its file is read. */
const mostSlotsAhead = 1 << 19;

/** Spreads ids over the slots, also those that differ in their first digits alone. */
const mix = (a: number, b: number, c: number, d: number): number => {
  const sum = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35) ^ Math.imul(d, 0x27d4eb2f);
  const turned = Math.imul(sum ^ (sum >>> 15), 0x2c1b3c6d);
  return turned ^ (turned >>> 13);
};

const slotsFor = (expected: number): number => {
  let slots = fewestSlots;
  while (slots < mostSlotsAhead && slots <= 2 * expected) slots *= 2;
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
