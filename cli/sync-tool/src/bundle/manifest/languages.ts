import { type FileFindings, quote } from '../findings.ts';
import type { Language } from '../model.ts';
import { flagOf, integerOf, type Part, partsOf, textOf } from '../records/members.ts';
import type { PointAt } from './manifest-findings.ts';

const fourDigits = 10_000;

/** Coverage computed from the integers, to 4 digits. */
export const coverageOf = (labelled: number, total: number): number =>
  total === 0 ? 1 : Math.round((labelled / total) * fourDigits) / fourDigits;

const coverageIn = (part: Part, labelled: number, total: number, code: string, at: FileFindings): number => {
  const { coverage } = part.members;
  if (typeof coverage !== 'number' || !(coverage >= 0 && coverage <= 1)) {
    at.problem(`${part.where}coverage must be a number from 0 to 1`);
    return 0;
  }
  const expected = coverageOf(labelled, total);
  if (Math.abs(coverage - expected) * fourDigits > 1)
    at.warn(
      `coverage ${code}`,
      `the coverage ${coverage} of ${quote(code)} is not labelled/total (${labelled}/${total} = ${expected})`,
    );
  return coverage;
};

const readLanguage = (part: Part, at: FileFindings): Language => {
  const code = textOf(part, 'code', at).trim();
  if (code === '' && typeof part.members['code'] === 'string') at.problem(`${part.where}code is blank`);
  const labelled = integerOf(part, 'labelled', at, 0);
  const total = integerOf(part, 'total', at, 0);
  return {
    code,
    name: textOf(part, 'name', at),
    isDefault: flagOf(part, 'is_default', at),
    labelled,
    total,
    coverage: coverageIn(part, labelled, total, code, at),
  };
};

/** Reads the languages of a manifest: at least one, each code once, one default (bundle contract, 2). */
export const readLanguages = (manifest: Part, point: PointAt): readonly Language[] => {
  const parts = partsOf(manifest, 'languages', point('languages'));
  const languages = parts.map((part, index) => readLanguage(part, point('languages', index, 'code')));
  const codes = new Set<string>();
  for (const [index, { code }] of languages.entries()) {
    if (codes.has(code)) point('languages', index, 'code').problem(`the language ${quote(code)} is listed twice`);
    codes.add(code);
  }
  const defaults = languages.filter(({ isDefault }) => isDefault);
  const at = point('languages');
  if (languages.length === 0) at.problem('languages must list at least one language');
  else if (defaults.length !== 1) {
    const named = defaults.length === 0 ? '' : `: ${defaults.map(({ code }) => quote(code)).join(', ')}`;
    at.problem(`exactly one language must have is_default true, ${defaults.length} have${named}`);
  }
  return languages;
};
