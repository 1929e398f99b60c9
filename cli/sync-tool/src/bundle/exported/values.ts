import { choiceFieldName, shorten, valueLimits } from '../values.ts';

/**
 * What keys of an exported bundle become on the site (contract of the exported bundle, 7). The import of the patrols computes the same values
 * again and looks them up, so they are the importer's to the letter; only the length of an option's value is limited as in our own format.
 */

/** Runs of anything but ASCII letters and digits become one `_`, which falls at the ends; `_` when nothing is left. */
export const normaliseExportedKey = (key: string): string =>
  key
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')
    .toLowerCase() || '_';

/** `value` of a patrol type; one that an earlier transport has ends in `_2`, `_3` and so on. */
export const exportedPatrolType = (key: string, isTaken: (value: string) => boolean): string => {
  const whole = `patrol_${normaliseExportedKey(key)}`;
  let value = whole.slice(0, valueLimits.patrolType);
  for (let copy = 2; isTaken(value); copy += 1)
    value = `${whole.slice(0, valueLimits.patrolType - `_${copy}`.length)}_${copy}`;
  return value;
};

/** Form property of an attribute. */
export const exportedProperty = (key: string, word: string): string => `${word}_${normaliseExportedKey(key)}`;

/** Choice field of an attribute; a long one ends in the hash of the key as it stands in the bundle. */
export const exportedChoiceField = (key: string): string =>
  shorten(choiceFieldName(normaliseExportedKey(key)), valueLimits.attribute, key);

/** `value` of an option or a mandate. */
export const exportedChoice = (key: string): string => shorten(normaliseExportedKey(key), valueLimits.choice);

/** Display text of a class without a label: its key with capital first letters. */
export const exportedClassDisplay = (key: string): string =>
  key.toLowerCase().replaceAll(/\p{L}+/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1));
