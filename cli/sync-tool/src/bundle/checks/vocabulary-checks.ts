import { type Findings, quote } from '../findings.ts';
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

/** Reports options of one attribute that would become the same option. */
export const optionClashes = (options: readonly AttributeOption[]): readonly string[] => {
  const first = new Map<string, string>();
  return options.flatMap(({ key: ownKey, path, value }) => {
    const key = path ?? ownKey;
    if (key === null || value === null) return [];
    const other = first.get(value);
    first.set(value, other ?? key);
    return other === undefined ? [] : [`the options ${quote(key)} and ${quote(other)} both become ${value}`];
  });
};

const claimsOf = <T extends { readonly key: string | null }>(
  { records, lines }: Kept<T>,
  valueOf: (record: T) => string | null,
): Claim[] =>
  records.flatMap((record, index) => {
    const value = valueOf(record);
    return record.key === null || value === null ? [] : [{ key: record.key, value, line: lines[index] ?? 1 }];
  });

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
  const claims = (kept: Kept<Transport | PatrolClass | Mandate>): void =>
    note(
      findings,
      kept.file,
      claimsOf(kept, ({ value }) => value),
    );
  claims(transports);
  claims(classes);
  claims(mandates);
};

/** Collects attributes whose keys become the same property, or the same choice field if both have options. */
export const checkAttributeClashes = (findings: Findings, attributes: Kept<Attribute>): void => {
  const properties = claimsOf(attributes, ({ type, property }) => (type === null ? null : property));
  const fields = claimsOf(attributes, (attribute) => (hasOptions(attribute) ? attribute.choiceField : null));
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
