import { RelayError } from '@ranger-relay/errors';
import { quote } from '../findings.ts';
import type { Language } from '../model.ts';

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
 * Chooses the language of the display texts: the requested one, matched exactly or ignoring case and treating `_` as `-`; by default the
 * default language of the bundle (bundle contract, 1).
 * @throws RelayError `language_unknown` with all codes and their coverage, when no language or more than one matches
 */
export const chooseLanguage = (languages: readonly Language[], wanted?: string): ChosenLanguage => {
  const byDefault = languages.find(({ isDefault }) => isDefault)?.code ?? '';
  const language = find(languages, wanted?.trim() ?? byDefault);
  return { language: language.code, ...notesOn(language, languages) };
};
