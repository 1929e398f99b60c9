import { quote } from '../findings.ts';
import {
  type Attribute,
  type AttributeOption,
  hasOptions,
  type Mandate,
  type PatrolClass,
  type Transport,
  type Usage,
} from '../model.ts';
import type { Kept } from '../records/members.ts';

/** Records whose value an earlier one has, each with the first of that value. */
export const doublesOf = <T>(
  records: Iterable<T>,
  valueOf: (record: T) => string | null,
): readonly { readonly record: T; readonly first: T; readonly value: string }[] => {
  const known = new Map<string, T>();
  return Array.from(records).flatMap((record) => {
    const value = valueOf(record);
    if (value === null) return [];
    const first = known.get(value);
    known.set(value, first ?? record);
    return first === undefined ? [] : [{ record, first, value }];
  });
};

/** Reports options of one attribute that would become the same option. */
export const optionClashes = (options: readonly AttributeOption[]): readonly string[] =>
  doublesOf(options, ({ value }) => value).map(({ record, first, value }) => {
    const [key, other] = [record, first].map((option) => quote(option.path ?? option.key ?? ''));
    return `the options ${key} and ${other} both become ${value}`;
  });

interface Keyed {
  readonly key: string | null;
}

/** Reports values that more than one record would have, at the later record, naming both (bundle contract, 3, rule 3). */
const checkClashes = <T extends Keyed>({ at, lines }: Kept<T>, ...valuesOf: ((record: T) => string | null)[]): void => {
  const told = new Set<T>();
  for (const { record, first, value } of valuesOf.flatMap((valueOf) => doublesOf(lines.keys(), valueOf))) {
    if (told.has(record)) continue;
    told.add(record);
    const keys = `${quote(record.key ?? '')} and ${quote(first.key ?? '')} (line ${lines.get(first)})`;
    at.problem(`the keys ${keys} both become ${value}; rename one and export again`, lines.get(record));
  }
};

/** What is checked of the vocabulary of a bundle. */
interface KeptVocabulary {
  readonly transports: Kept<Transport>;
  readonly patrolClasses: Kept<PatrolClass>;
  readonly mandates: Kept<Mandate>;
  readonly attributes: Kept<Attribute>;
}

/** Checks the values of the records, and that the classes that transports name are there: else only the icon hint is lost. */
export const checkVocabulary = ({ transports, patrolClasses, mandates, attributes }: KeptVocabulary): void => {
  for (const kept of [transports, patrolClasses, mandates] as readonly Kept<Transport | PatrolClass | Mandate>[])
    checkClashes(kept, ({ value }) => value);
  checkClashes(
    attributes,
    ({ type, property }) => (type === null ? null : property),
    (attribute) => (hasOptions(attribute) ? attribute.choiceField : null),
  );
  const known = new Set([...patrolClasses.lines.keys()].map(({ key }) => key));
  for (const [{ classKey }, line] of transports.lines)
    if (classKey !== null && !known.has(classKey))
      transports.at.warn('class', `class_key ${quote(classKey)} names no patrol class of the bundle`, line);
};

/** Warns that a record without a key is left out. If a leg uses the record, it is a problem, because the patrols could not be imported. */
const checkKeys = <T extends Keyed>({ at, lines }: Kept<T>, what: string, isUsed: (record: T) => boolean): void => {
  for (const [record, line] of lines) {
    if (record.key !== null) continue;
    if (isUsed(record)) at.problem(`the ${what} has no key, and legs use it; give it a key and export again`, line);
    else at.warn('keyless', `the ${what} has no key and is left out`, line);
  }
};

/** Checks the keys of the records that legs use (bundle contract, 3, rule 3). */
export const checkUsedKeys = (
  { transports, mandates, patrolClasses }: Omit<KeptVocabulary, 'attributes'>,
  usage: Usage,
): void => {
  checkKeys(transports, 'transport', ({ uuid }) => usage.transports.has(uuid));
  checkKeys(mandates, 'mandate', ({ uuid }) => usage.mandates.has(uuid));
  checkKeys(patrolClasses, 'patrol class', () => false);
};
