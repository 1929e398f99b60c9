import type { Language, Names } from '../model.ts';
import { cleanLabel } from './clean.ts';
import { cutText } from './cut.ts';

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
