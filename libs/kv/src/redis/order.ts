/** Moves surrogates behind the rest of the 16-bit characters, where the characters they stand for belong. */
const rank = (unit: number): number => {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
};

/** Order of code points, which is that of UTF-8 bytes; plain comparison of texts differs beyond 16 bits. */
export const compareCodePoints = (left: string, right: string): number => {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)];
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
};

/** The pattern that matches the texts with this prefix, taken literally. */
export const patternOf = (prefix: string): string => `${prefix.replaceAll(/[\\*?[\]]/g, '\\$&')}*`;
