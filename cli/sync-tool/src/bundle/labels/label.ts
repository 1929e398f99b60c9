import { RelayError } from '@ranger-relay/errors';
import { quote } from '../findings.ts';
import type { Language, Manifest, Names } from '../model.ts';

/**
 * Selects, cleans and truncates a display text: in the language of the run, otherwise in another one, otherwise the fallback (bundle
 * contract, 3).
 */
export type Label = (names: Names, fallback: string, limit: number) => string;

/** Maximum lengths of display texts, code points (site contract, 3 to 6). */
export const labelLimits = { type: 255, choice: 100, title: 1_000, subject: 100 } as const;

/** Whether a text has no visible character: spaces, control characters, and those of no width, of which joiners may stand inside names. */
export const isBlankLabel = (label: string): boolean =>
  !/[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u.test(label);

/**
 * Cleans a label: trims it, normalises it to Unicode form C, replaces runs of control characters and line breaks with one space (bundle
 * contract, 3), and removes characters that change the text direction. A label without a visible character becomes empty.
 */
export const cleanLabel = (label: string): string =>
  isBlankLabel(label)
    ? ''
    : label
        .normalize('NFC')
        .replaceAll(/\p{Bidi_Control}/gu, '')
        .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
        .trim();

const ellipsis = '…';
/** Created on first use: few texts are truncated, and creating the segmenter is slower than truncating thousands of texts. */
let graphemes: Intl.Segmenter | undefined;

const isLonger = (text: string, limit: number): boolean => {
  if (text.length <= limit) return false;
  // A code point has at most two code units, so a text of more than twice the limit needs no counting.
  return text.length > limit * 2 || [...text].length > limit;
};

/** Limits a text to `limit` code points: a longer text is cut between graphemes and ends in `…` (bundle contract, 3, rule 4). */
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

/** Language codes in lookup order: the chosen language, the default, then the others as in the manifest. */
export const languageOrder = (languages: readonly Language[], chosen: string): readonly string[] => {
  const defaults = languages.filter(({ isDefault }) => isDefault);
  return [...new Set([chosen, ...[...defaults, ...languages].map(({ code }) => code)])];
};

const firstLabel = (names: Names, codes: Iterable<string>): string | undefined => {
  for (const code of codes) {
    const label = cleanLabel(names.get(code) ?? '');
    if (label !== '') return label;
  }
  return undefined;
};

const sortedCodes = (names: Names): readonly string[] => [...names.keys()].toSorted();

/**
 * The display text of a record: the first label in the order of the languages, otherwise a label under another code, otherwise the
 * fallback; cleaned and truncated (bundle contract, 3, rule 4).
 * @param order result of `languageOrder`
 * @param others the codes behind that order; by default sorted, so that the order of members does not matter
 * @param limit code points
 * @returns `''` only when the fallback is blank too
 */
export const labelOf = (
  names: Names,
  order: readonly string[],
  fallback: string,
  limit: number,
  others: (names: Names) => Iterable<string> = sortedCodes,
): string => cutText(firstLabel(names, order) ?? firstLabel(names, others(names)) ?? cleanLabel(fallback), limit);

/** Creates a `Label` for one bundle and the code of the chosen language. */
export const labelFor = ({ format, languages }: Pick<Manifest, 'format' | 'languages'>, chosen: string): Label => {
  const order = languageOrder(languages, chosen);
  if (format === 'own') return (names, fallback, limit) => labelOf(names, order, fallback, limit);
  // In an exported bundle `label`, which has no code, comes behind the default language, then any label in the record's order.
  const first = [chosen, ...languages.filter(({ isDefault }) => isDefault).map(({ code }) => code), ''];
  return (names, fallback, limit) => labelOf(names, first, fallback, limit, (labels) => labels.keys());
};

/** Language codes that were renamed, in both directions. */
const renamed = new Map([
  ['in', 'id'],
  ['id', 'in'],
  ['iw', 'he'],
  ['he', 'iw'],
]);

/** The language of all display texts, with notes for the operator. */
export interface ChosenLanguage {
  /** Code as in the manifest. */
  readonly language: string;
  /** Notes that some labels are missing in the language. */
  readonly infos: readonly string[];
  /** Warnings that all labels are missing in the language. */
  readonly warnings: readonly string[];
}

const fold = (code: string): string => code.toLowerCase().replaceAll('_', '-');

const percent = (coverage: number): string => `${Math.floor(coverage * 100)} %`;

const listed = (languages: readonly Language[]): string =>
  languages.map(({ code, coverage }) => `${code} (${percent(coverage)})`).join(', ');

const hintFor = (languages: readonly Language[], wanted: string): string => {
  const [base = ''] = fold(wanted).split('-');
  const other = renamed.get(base);
  const known = languages.find(({ code }) => other !== undefined && fold(code).split('-')[0] === other);
  return known === undefined ? '' : `; ${base} and ${other} are the same language, ${known.code} is there`;
};

const find = (languages: readonly Language[], wanted: string): Language => {
  const exact = languages.find(({ code }) => code === wanted);
  const alike = languages.filter(({ code }) => fold(code) === fold(wanted));
  const [only] = alike;
  if (exact !== undefined) return exact;
  if (only !== undefined && alike.length === 1) return only;
  const found = alike.length > 1 ? 'more than one' : 'no';
  const hint = hintFor(languages, wanted);
  throw new RelayError('language_unknown', { details: { found, wanted, languages: listed(languages), hint } });
};

const notesOn = ({ code, coverage }: Language, languages: readonly Language[]): Omit<ChosenLanguage, 'language'> => {
  if (coverage >= 1) return { infos: [], warnings: [] };
  if (coverage > 0) {
    const text = `${percent(coverage)} of the labels are there in ${quote(code)}; the others are taken from other languages`;
    return { infos: [text], warnings: [] };
  }
  const others = languages.filter(({ labelled, coverage }) => labelled > 0 && coverage > 0);
  const there = others.length === 0 ? 'no language has any' : `there are labels in ${listed(others)}`;
  return { infos: [], warnings: [`there are no labels in ${quote(code)}; ${there}`] };
};

/**
 * Chooses the language of the display texts: the requested one, or the default language of the bundle, matched exactly or
 * ignoring case and treating `_` as `-` (bundle contract, 1).
 * @throws RelayError `language_unknown` with all codes and their coverage, when no language or more than one matches
 */
export const chooseLanguage = (languages: readonly Language[], wanted: string): ChosenLanguage => {
  const language = find(languages, wanted.trim());
  return { language: language.code, ...notesOn(language, languages) };
};
