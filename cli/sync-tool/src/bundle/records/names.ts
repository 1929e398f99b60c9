import { describe, quote } from '../describe.ts';
import { isBlankLabel } from '../labels/clean.ts';
import type { Names } from '../model.ts';
import type { RecordContext } from './context.ts';
import { objectOf, type Part } from './members.ts';

const none: Names = new Map();
const sharedLimit = 1_000;

const labelIn = (part: Part, code: string, { at }: RecordContext): string | null => {
  const label = part.members[code];
  if (typeof label === 'string') return isBlankLabel(label) ? null : label;
  if (label !== null) at.problem(`${part.where}${code} must be a text, it is ${describe(label)}`);
  return null;
};

/** The labels of a record's `names`; null and blank ones count as missing. Codes that the manifest does not list are a warning. */
export const namesOf = (part: Part, context: RecordContext): Names => {
  const names = objectOf(part, 'names', context.at);
  if (names === null) return none;
  const labels = new Map<string, string>();
  for (const key of Object.keys(names.members)) {
    const label = labelIn(names, key, context);
    const code = key.trim();
    if (label === null || labels.has(code)) continue;
    labels.set(code, label);
    if (!context.languages.has(code))
      context.at.warn(
        'unlisted',
        `${names.where}${quote(code)} is no language of the manifest; used where no other is`,
      );
  }
  return labels.size === 0 ? none : labels;
};

/** As `namesOf`, with one object for equal labels: many employees have the same few ranks and agencies. */
export const sharedNamesOf = (part: Part, context: RecordContext): Names => {
  const key = JSON.stringify(part.members['names']) ?? '';
  const shared = context.shared.get(key);
  if (shared !== undefined) return shared;
  const names = namesOf(part, context);
  const areListed = [...names.keys()].every((code) => context.languages.has(code));
  if (areListed && context.shared.size < sharedLimit) context.shared.set(key, names);
  return names;
};
