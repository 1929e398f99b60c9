import { hash } from 'node:crypto';

const bareForm = /^[0-9a-f]{32}$/;
const dashedForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const zero = '0'.repeat(32);

/**
 * Returns the canonical form of a uuid, 32 lower-case hex digits; null when the text is not a uuid, or all zero. Dashes and case do not
 * matter (bundle contract, 2).
 */
export const canonicalUuid = (text: string): string | null => {
  // Fast path: patrols contain many uuids, nearly all of them in this form.
  if (bareForm.test(text)) return text === zero ? null : text;
  const lower = text.toLowerCase();
  const bare = dashedForm.test(lower) ? lower.replaceAll('-', '') : lower;
  return bareForm.test(bare) && bare !== zero ? bare : null;
};

/** Maximum lengths of values, characters (bundle contract, 3). */
export const valueLimits = { patrolType: 50, attribute: 40, choice: 100 } as const;

const plain = /^[A-Za-z0-9_]+$/;

/** Keys of attributes whose choice field would collide with a core field. */
export const reservedKeys: ReadonlySet<string> = new Set(['mandate', 'station', 'class']);

/** Choice field for the options of an attribute of this normalised key, before its length is limited. */
export const choiceFieldName = (name: string): string =>
  reservedKeys.has(name) ? `patrol_ext_${name}` : `patrol_${name}`;

const hashDigits = 8;
const shortHash = (text: string): string => hash('sha256', text).slice(0, hashDigits);

/** A part of a path without a character that a value may have, such as one in another script, is represented by its hash. */
const withHash = (part: string): string => (part === '' || /[A-Za-z0-9_]/.test(part) ? part : shortHash(part));

/**
 * Converts a key to the form used in values: `[a-z0-9_]+`. A key of letters, digits and `_` is only lower-cased; in other keys, runs of
 * other characters become `_` and the ends are stripped; a key, or a part of a path, of which nothing is left becomes its hash.
 */
export const normaliseKey = (key: string): string => {
  if (plain.test(key)) return key.toLowerCase();
  const parts = key
    .split('.')
    .map(withHash)
    .join('.')
    .split(/[^A-Za-z0-9_]+/)
    .join('_');
  let start = 0;
  let end = parts.length;
  while (start < end && parts[start] === '_') start += 1;
  while (end > start && parts[end - 1] === '_') end -= 1;
  return parts.slice(start, end).toLowerCase() || shortHash(key);
};

/**
 * Limits a value to `max` characters: a longer value keeps its beginning and ends in 8 hex digits of its SHA-256 (rule 2), or of that of
 * another text.
 */
export const shorten = (value: string, max: number, hashed = value): string =>
  value.length <= max ? value : `${value.slice(0, max - hashDigits - 1)}_${shortHash(hashed)}`;

/** `value` of the patrol type of a transport key. */
export const patrolTypeValue = (key: string): string => shorten(`patrol_${normaliseKey(key)}`, valueLimits.patrolType);

/** `value` of the choice of an option, mandate or class key; for a TREE node, of its path. */
export const choiceValue = (key: string): string => shorten(normaliseKey(key), valueLimits.choice);

/** Form property of an attribute key, under the word of the external system. */
export const attributeProperty = (key: string, word: string): string =>
  shorten(`${word}_${normaliseKey(key)}`, valueLimits.attribute);

/** Choice field for the options of an attribute key; keys of core fields get a separate field. */
export const attributeChoiceField = (key: string): string =>
  shorten(choiceFieldName(normaliseKey(key)), valueLimits.attribute);
