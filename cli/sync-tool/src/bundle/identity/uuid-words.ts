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
