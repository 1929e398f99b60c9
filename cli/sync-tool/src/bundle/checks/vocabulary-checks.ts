import { type Findings, quote } from '../findings.ts';
import type { Attribute, AttributeOption, Mandate, PatrolClass, Transport, Usage } from '../model.ts';
import type { Kept } from '../records/members.ts';
import { attributeChoiceField, attributeProperty, choiceValue, patrolTypeValue } from '../values.ts';

/** A value that the key of a record becomes. */
interface Claim {
  readonly key: string;
  readonly value: string;
  /** From 1. */
  readonly line: number;
}

/** Reports values that more than one record would have, at the line of the later record, naming both (bundle contract, 3). */
const clashesOf = (claims: readonly Claim[]): readonly { readonly line: number; readonly text: string }[] => {
  const first = new Map<string, Claim>();
  return claims.flatMap((claim) => {
    const other = first.get(claim.value);
    first.set(claim.value, other ?? claim);
    if (other === undefined) return [];
    const keys = `${quote(claim.key)} and ${quote(other.key)} (line ${other.line})`;
    return [{ line: claim.line, text: `the keys ${keys} both become ${claim.value}; rename one and export again` }];
  });
};

/** The source text of an option's value: the path of a TREE node, otherwise the key; null when it has none. */
const optionKey = ({ key, path }: AttributeOption, type: 'LIST' | 'TREE'): string | null =>
  (type === 'TREE' ? path : key) || null;

/** Reports options of one attribute that would become the same option. */
export const optionClashes = (options: readonly AttributeOption[], type: 'LIST' | 'TREE'): readonly string[] => {
  const first = new Map<string, string>();
  return options.flatMap((option) => {
    const key = optionKey(option, type);
    if (key === null) return [];
    const value = choiceValue(key);
    const other = first.get(value);
    first.set(value, other ?? key);
    return other === undefined ? [] : [`the options ${quote(key)} and ${quote(other)} both become ${value}`];
  });
};

const claimsOf = <T extends { readonly key: string | null }>(
  { records, lines }: Kept<T>,
  valueOf: (key: string) => string,
  counts: (record: T) => boolean = () => true,
): Claim[] =>
  records.flatMap((record, index) =>
    record.key !== null && counts(record)
      ? [{ key: record.key, value: valueOf(record.key), line: lines[index] ?? 1 }]
      : [],
  );

const note = (findings: Findings, file: string, claims: readonly Claim[]): void => {
  for (const { line, text } of clashesOf(claims)) findings.problem(file, line, text);
};

/** Collects records of one kind whose keys become the same value (bundle contract, 3, rule 3). */
export const checkClashes = (
  findings: Findings,
  transports: Kept<Transport>,
  classes: Kept<PatrolClass>,
  mandates: Kept<Mandate>,
): void => {
  note(findings, transports.file, claimsOf(transports, patrolTypeValue));
  note(findings, classes.file, claimsOf(classes, choiceValue));
  note(findings, mandates.file, claimsOf(mandates, choiceValue));
};

/** Collects attributes whose keys become the same property, or the same choice field if both have options. */
export const checkAttributeClashes = (findings: Findings, attributes: Kept<Attribute>): void => {
  const properties = claimsOf(attributes, attributeProperty, ({ type }) => type !== null);
  const fields = claimsOf(attributes, attributeChoiceField, ({ type }) => type === 'LIST' || type === 'TREE');
  const clashing = new Set(clashesOf(properties).map(({ line }) => line));
  note(findings, attributes.file, properties);
  for (const { line, text } of clashesOf(fields))
    if (!clashing.has(line)) findings.problem(attributes.file, line, text);
};

/** Warns that a record without a key is left out. If a leg uses the record, it is a problem, because the patrols could not be imported. */
const checkKeys = <T extends { readonly key: string | null }>(
  findings: Findings,
  { records, lines, file }: Kept<T>,
  what: string,
  isUsed: (record: T) => boolean,
): void => {
  for (const [index, record] of records.entries()) {
    const line = lines[index] ?? 1;
    if (record.key !== null) continue;
    if (isUsed(record))
      findings.problem(file, line, `the ${what} has no key, and legs use it; give it a key and export again`);
    else findings.warn('keyless', file, line, `the ${what} has no key and is left out`);
  }
};

/** Checks the keys of the records that legs use (bundle contract, 3, rule 3). */
export const checkUsedKeys = (
  findings: Findings,
  usage: Usage,
  transports: Kept<Transport>,
  classes: Kept<PatrolClass>,
  mandates: Kept<Mandate>,
): void => {
  checkKeys(findings, transports, 'transport', ({ uuid }) => usage.transports.has(uuid));
  checkKeys(findings, mandates, 'mandate', ({ uuid }) => usage.mandates.has(uuid));
  checkKeys(findings, classes, 'patrol class', () => false);
};

/** Warns of classes that transports name and the bundle lacks; only the icon hint is lost. */
export const checkTransportClasses = (
  findings: Findings,
  { records, lines, file }: Kept<Transport>,
  classes: Kept<PatrolClass>,
): void => {
  const known = new Set(classes.records.map(({ key }) => key));
  for (const [index, { classKey }] of records.entries())
    if (classKey !== null && !known.has(classKey))
      findings.warn(
        'class',
        file,
        lines[index] ?? 1,
        `class_key ${quote(classKey)} names no patrol class of the bundle`,
      );
};
