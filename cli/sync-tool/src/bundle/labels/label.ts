import type { Language, Names } from '../model.ts';

/** Chooses, cleans and cuts a display text: the language of the run, else others, else the fallback (bundle contract, 3). */
export type Label = (names: Names, fallback: string, limit: number) => string;

/** Longest display texts, code points (site contract, 3 to 6). */
export const labelLimits = { type: 255, choice: 100, title: 1_000, subject: 100 } as const;

/**
 * A label as it is shown: trimmed, in Unicode form C, runs of control characters and line breaks as one space (bundle contract, 3), and
 * without the characters that turn the direction of what stands around them.
 */
export const cleanLabel = (label: string): string =>
  label
    .normalize('NFC')
    .replaceAll(/\p{Bidi_Control}/gu, '')
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();

/** Whether nothing of a label would be shown. */
export const isBlankLabel = (label: string): boolean => !/[^\s\p{Cc}\p{Bidi_Control}]/u.test(label);

const ellipsis = '…';
/** Made when a text has to be cut: few have, and making it takes longer than cutting thousands. */
let graphemes: Intl.Segmenter | undefined;

const isLonger = (text: string, limit: number): boolean => {
  if (text.length <= limit) return false;
  // A code point has at most two code units, so that more is not looked at.
  return text.length > limit * 2 || [...text].length > limit;
};

/** A text of at most `limit` code points: a longer one is cut between graphemes and ends in `…` (bundle contract, 3, rule 4). */
export const cutText = (text: string, limit: number): string => {
  if (!isLonger(text, limit)) return text;
  let kept = '';
  let length = 0;
  graphemes ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  for (const { segment } of graphemes.segment(text)) {
    length += [...segment].length;
    if (length >= limit) break;
    kept += segment;
  }
  return kept.trimEnd() + ellipsis;
};

/** Codes in the order in which labels are looked for: the chosen language, the default, the others as in the manifest. */
export const languageOrder = (languages: readonly Language[], chosen: string): readonly string[] => {
  const defaults = languages.filter(({ isDefault }) => isDefault);
  return [...new Set([chosen, ...[...defaults, ...languages].map(({ code }) => code)])];
};

const firstLabel = (names: Names, order: readonly string[]): string | undefined => {
  for (const code of order) {
    const label = cleanLabel(names.get(code) ?? '');
    if (label !== '') return label;
  }
  // Sorted, so that it does not depend on how a record is written which of them is shown.
  const unlisted = [...names.keys()].filter((code) => !order.includes(code)).toSorted();
  return unlisted.map((code) => cleanLabel(names.get(code) ?? '')).find((label) => label !== '');
};

/**
 * The display text of a record: the first label in the order of the languages, then one under a code that is not among them, then the
 * fallback; cleaned and cut (bundle contract, 3, rule 4).
 * @param order as `languageOrder` gives it
 * @param limit code points
 * @returns `''` only when the fallback is blank too
 */
export const labelOf = (names: Names, order: readonly string[], fallback: string, limit: number): string =>
  cutText(firstLabel(names, order) ?? cleanLabel(fallback), limit);

/** Display texts in one language: `limit` in code points, `fallback` for a record without any label. */
type LabelFor = (names: Names, fallback: string, limit: number) => string;

/** `labelOf` for one bundle and the code of the language that was chosen. */
export const labelFor = (languages: readonly Language[], chosen: string): LabelFor => {
  const order = languageOrder(languages, chosen);
  return (names, fallback, limit) => labelOf(names, order, fallback, limit);
};
