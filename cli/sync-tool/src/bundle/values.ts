import { hash } from 'node:crypto';

/** Longest values, characters (bundle contract, 3). */
export const valueLimits = { patrolType: 50, attribute: 40, choice: 100 } as const;

const hashDigits = 8;
const plain = /^[A-Za-z0-9_]+$/;

/** Keys of attributes whose choice field would be one of the core fields. */
const reserved: ReadonlySet<string> = new Set(['mandate', 'station', 'class']);

/**
 * A key as values hold it: `[a-z0-9_]+`. A key of letters, digits and `_` is only lower-cased; of others, runs of other characters become
 * `_` and the ends are stripped; what would be empty is `_` (bundle contract, 3, rule 1).
 */
export const normaliseKey = (key: string): string => {
  if (plain.test(key)) return key.toLowerCase();
  const parts = key.split(/[^A-Za-z0-9_]+/).join('_');
  let start = 0;
  let end = parts.length;
  while (start < end && parts[start] === '_') start += 1;
  while (end > start && parts[end - 1] === '_') end -= 1;
  return parts.slice(start, end).toLowerCase() || '_';
};

/** A value of at most `max` characters: an over-long one keeps its first ones and ends in 8 hex digits of its SHA-256 (rule 2). */
export const shorten = (value: string, max: number): string =>
  value.length <= max ? value : `${value.slice(0, max - hashDigits - 1)}_${hash('sha256', value).slice(0, hashDigits)}`;

/** `value` of the patrol type of a transport key. */
export const patrolTypeValue = (key: string): string => shorten(`patrol_${normaliseKey(key)}`, valueLimits.patrolType);

/** `value` of the choice of an option, mandate or class key; for a node of a tree from its path. */
export const choiceValue = (key: string): string => shorten(normaliseKey(key), valueLimits.choice);

/** Property of the form of an attribute key. */
export const attributeProperty = (key: string): string => shorten(`ext_${normaliseKey(key)}`, valueLimits.attribute);

/** Choice field of the options of an attribute key; keys of core fields get a field of their own. */
export const attributeChoiceField = (key: string): string => {
  const name = normaliseKey(key);
  return shorten(reserved.has(name) ? `patrol_ext_${name}` : `patrol_${name}`, valueLimits.attribute);
};

/** A record with a key that a value can be made of. */
export type Keyed<T extends { readonly key: string | null }> = T & { readonly key: string };

/** Whether a record has a key; one without is left out of the plan (rule 3). */
export const hasKey = <T extends { readonly key: string | null }>(record: T): record is Keyed<T> =>
  record.key !== null && record.key !== '';
