import type { Language, Names } from '../model.ts';
import { labelOf, languageOrder } from './label-of.ts';

/** Display texts in one language: `limit` in code points, `fallback` for a record without any label. */
export type LabelFor = (names: Names, fallback: string, limit: number) => string;

/** `labelOf` for one bundle and the code of the language that was chosen. */
export const labelFor = (languages: readonly Language[], chosen: string): LabelFor => {
  const order = languageOrder(languages, chosen);
  return (names, fallback, limit) => labelOf(names, order, fallback, limit);
};
