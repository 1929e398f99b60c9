import { describe, quote } from '../describe.ts';
import type { Noting } from '../findings.ts';
import type { UuidTable } from '../identity/uuid-table.ts';
import { UuidWords } from '../identity/uuid-words.ts';
import { isDate } from '../time/dates.ts';
import type { References } from './references.ts';

// Patrols are many: nothing here makes an object or a message unless something is wrong.

const words = new UuidWords();

const complain = (at: Noting, member: string, wanted: string, value: unknown): void => {
  at.problem(`${member} must be ${wanted}, it is ${describe(value)}`);
};

/** Checks that a member is a text; null and absent pass only when it may be null. */
export const checkText = (value: unknown, member: string, at: Noting, orNull = false): void => {
  if (typeof value !== 'string' && !(orNull && (value === null || value === undefined)))
    complain(at, member, orNull ? 'a text or null' : 'a text', value);
};

/** Checks that a member is `true` or `false`. */
export const checkFlag = (value: unknown, member: string, at: Noting): void => {
  if (typeof value !== 'boolean') complain(at, member, 'true or false', value);
};

/** Whether a member is a date; a problem otherwise. */
export const checkDate = (value: unknown, member: string, at: Noting): value is string => {
  if (typeof value === 'string' && isDate(value)) return true;
  complain(at, member, 'a date as 2024-03-02', value);
  return false;
};

const isUuid = (value: unknown, member: string, at: Noting): boolean => {
  if (typeof value === 'string' && words.read(value)) return true;
  complain(at, member, 'a uuid of 32 hex digits that are not all zero', value);
  return false;
};

/** Checks a uuid that may be null and is not looked up. */
export const checkUuidOrNull = (value: unknown, member: string, at: Noting): void => {
  if (value !== null && value !== undefined) isUuid(value, member, at);
};

/** Checks a uuid that must be the only one of its kind in the file; the table holds the lines of those before. */
export const checkOwnUuid = (value: unknown, member: string, lines: UuidTable, at: Noting): void => {
  const first = isUuid(value, member, at) ? lines.add(words, at.line) : 0;
  if (first !== 0) at.problem(`${member} ${words.text()} stands in the file twice, first in line ${first}`);
};

/** Checks a reference by uuid and notes its use. A record that does not exist is a warning, the use does not count. */
export const checkReference = (value: unknown, member: string, what: string, known: References, at: Noting): void => {
  if (!isUuid(value, member, at) || known.use(words)) return;
  at.warn(`unknown ${what}`, `${member} ${words.text()} names no ${what} of the bundle; this use is ignored`);
};

/** Checks the key of a class. One that does not exist is a warning. */
export const checkClass = (value: unknown, known: ReadonlySet<string>, at: Noting): void => {
  if (typeof value !== 'string') complain(at, 'class_key', 'a text', value);
  else if (!known.has(value)) at.warn('unknown class', `class_key ${quote(value)} names no patrol class of the bundle`);
};
