import type { Random } from '../random.ts';

const ownLine = /^relay_\w+\{(.*)\} /gm;
const inQuotes = /="(.*?)"/g;
/** Slugs, codes, topics and bounds of histograms. */
const word = /^[a-z\d_.-]*$|^\+Inf$/;

/**
 * Label values in a metrics text that are not words of the product.
 * @throws Error when the text has no labels, so that a test cannot pass on an empty text
 */
export const strangeLabels = (text: string): readonly string[] => {
  const labels = [...text.matchAll(ownLine)].map(([, all = '']) => all);
  const values = labels.flatMap((all) => Array.from(all.matchAll(inQuotes), ([, value = '']) => value));
  if (values.length === 0) throw new Error('there are no labels in this text');
  return values.filter((value) => !word.test(value));
};

const hexDigits = '0123456789abcdef';

/** A reproducible source of randomness (mulberry32). */
export const seededRandom = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const hex = (digits: number): string => {
    let text = '';
    for (let n = 0; n < digits; n += 1) text += hexDigits[Math.floor(next() * 16)];
    return text;
  };
  return { next, uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}` };
};
