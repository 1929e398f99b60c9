import { isObject } from '@ranger-relay/errors';
import { describe, type FileFindings, quote } from '../findings.ts';
import { canonicalUuid } from '../values.ts';
import type { Members } from '../json/parse-line.ts';
import { isBlankLabel } from '../labels/label.ts';
import type { Names } from '../model.ts';
import { isDate } from '../time/time.ts';

/** Records of a file with their lines (from 1), and its findings, for checks that run later. */
export interface Kept<T> {
  readonly at: FileFindings;
  readonly lines: ReadonlyMap<T, number>;
}

/** What the manifest says that records are read by. */
export interface BundleFacts {
  /** Codes of the languages. */
  readonly languages: ReadonlySet<string>;
  /** Date of the export such as `2026-01-31`. */
  readonly referenceDate: string;
  /** The word that stands for the external system in identifiers. */
  readonly word: string;
}

/** Shared state of reading the records of one file. */
export interface RecordContext {
  readonly at: FileFindings;
  readonly facts: BundleFacts;
  /** Lines of the uuids read so far; records and their inner objects have separate maps. */
  readonly uuids: Map<string, number>;
  readonly innerUuids: Map<string, number>;
  /** Labels by their JSON text. */
  readonly shared: Map<string, Names>;
}

/** The context of a file before its first record. */
export const recordContext = (at: FileFindings, facts: BundleFacts): RecordContext => ({
  at,
  facts,
  uuids: new Map(),
  innerUuids: new Map(),
  shared: new Map(),
});

/** Registers a canonical uuid; a uuid that already occurs in this file, in any spelling, is a problem. */
export const takeUuid = (uuid: string, where: string, lines: Map<string, number>, at: FileFindings): void => {
  if (uuid === '') return;
  const first = lines.get(uuid);
  if (first === undefined) lines.set(uuid, at.line);
  else at.problem(`${where}uuid ${uuid} stands in the file twice, first in line ${first}`);
};

/** Reads the uuid of a record, which must be unique in its file. */
export const ownUuid = (part: Part, { at, uuids }: RecordContext): string => {
  const uuid = uuidOf(part, 'uuid', at);
  takeUuid(uuid, part.where, uuids, at);
  return uuid;
};

const none: Names = new Map();
const sharedLimit = 1_000;

const labelIn = (part: Part, code: string, { at }: RecordContext): string | null => {
  const label = part.members[code];
  if (typeof label === 'string') return isBlankLabel(label) ? null : label;
  if (label !== null) at.problem(`${part.where}${code} must be a text, it is ${describe(label)}`);
  return null;
};

/** Reads the labels of a record's `names`; null and blank labels count as missing. A code that the manifest does not list is a warning. */
export const namesOf = (part: Part, context: RecordContext): Names => namesIn(part, 'names', context);

/** As `namesOf`, for labels in another member. */
export const namesIn = (part: Part, member: string, context: RecordContext): Names => {
  const names = objectOf(part, member, context.at);
  if (names === null) return none;
  const labels = new Map<string, string>();
  for (const key of Object.keys(names.members)) {
    const label = labelIn(names, key, context);
    const code = key.trim();
    if (label === null || labels.has(code)) continue;
    labels.set(code, label);
    if (!context.facts.languages.has(code))
      context.at.warn(
        'unlisted',
        `${names.where}${quote(code)} is no language of the manifest; used where no other is`,
      );
  }
  return labels.size === 0 ? none : labels;
};

/** As `namesOf`, but shares one object between equal labels, because many employees have the same ranks and agencies. */
export const sharedNamesOf = (part: Part, context: RecordContext): Names => {
  const key = JSON.stringify(part.members['names']) ?? '';
  const shared = context.shared.get(key);
  if (shared !== undefined) return shared;
  const names = namesOf(part, context);
  const areListed = [...names.keys()].every((code) => context.facts.languages.has(code));
  if (areListed && context.shared.size < sharedLimit) context.shared.set(key, names);
  return names;
};

// Each reader reports a problem for an invalid member and returns a placeholder: a bundle with problems is never used.

/** A record, or a part of one, with the prefix of its members in messages (`options[3].`, or nothing). */
export interface Part {
  readonly members: Members;
  readonly where: string;
}

const wrong = (at: FileFindings, { members, where }: Part, name: string, wanted: string): void => {
  at.problem(`${where}${name} must be ${wanted}, it is ${describe(members[name])}`);
};

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Reads a text; `''` is valid. */
export const textOf = (part: Part, name: string, at: FileFindings): string => {
  const value = part.members[name];
  if (typeof value === 'string') return value;
  wrong(at, part, name, 'a text');
  return '';
};

/** Reads a text of `min` to `max` code points. */
export const boundedText = (part: Part, name: string, [min, max]: readonly [number, number], at: FileFindings) => {
  const text = textOf(part, name, at);
  const length = text.length > max ? [...text].length : text.length;
  if (typeof part.members[name] === 'string' && (length < min || length > max))
    at.problem(`${part.where}${name} must have ${min} to ${max} characters, it has ${length}`);
  return text;
};

/** Reads a text or null; a missing member counts as null. */
export const textOrNull = (part: Part, name: string, at: FileFindings): string | null =>
  isAbsent(part.members[name]) ? null : textOf(part, name, at);

/** Reads a key; an empty key counts as null, because it cannot become a value (bundle contract, 3). */
export const keyOf = (part: Part, name: string, at: FileFindings): string | null => textOrNull(part, name, at) || null;

/** Reads `true` or `false`; `"true"`, 1 and null are invalid. */
export const flagOf = (part: Part, name: string, at: FileFindings): boolean => {
  const value = part.members[name];
  if (typeof value === 'boolean') return value;
  wrong(at, part, name, 'true or false');
  return false;
};

/** Reads a whole number. */
export const integerOf = (part: Part, name: string, at: FileFindings, least = Number.MIN_SAFE_INTEGER): number => {
  const value = part.members[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  wrong(at, part, name, `a whole number${least === 0 ? ' of 0 or more' : ''}`);
  return 0;
};

/** Reads a uuid and returns its canonical form; `''` for an invalid one. */
export const uuidOf = (part: Part, name: string, at: FileFindings): string => {
  const value = part.members[name];
  const uuid = typeof value === 'string' ? canonicalUuid(value) : null;
  if (uuid !== null) return uuid;
  wrong(at, part, name, 'a uuid of 32 hex digits that are not all zero');
  return '';
};

/** Reads a uuid or null; a missing member counts as null. */
export const uuidOrNull = (part: Part, name: string, at: FileFindings): string | null =>
  isAbsent(part.members[name]) ? null : uuidOf(part, name, at);

/** Reads a calendar date such as `2019-03-01`. */
export const dateOf = (part: Part, name: string, at: FileFindings): string => {
  const value = part.members[name];
  if (typeof value === 'string' && isDate(value)) return value;
  wrong(at, part, name, 'a date as 2019-03-01');
  return '';
};

/** Reads a date or null; a missing member counts as null. */
export const dateOrNull = (part: Part, name: string, at: FileFindings): string | null =>
  isAbsent(part.members[name]) ? null : dateOf(part, name, at);

/** Reads a list; a missing member or null counts as an empty list. */
export const listOf = (part: Part, name: string, at: FileFindings): readonly unknown[] => {
  const value = part.members[name];
  if (Array.isArray(value)) return value;
  if (!isAbsent(value)) wrong(at, part, name, 'a list');
  return [];
};

/** Reads an object as a part of its own; null with a problem for any other value. */
export const objectOf = (part: Part, name: string, at: FileFindings): Part | null => {
  const value = part.members[name];
  if (isObject(value)) return { members: value, where: `${part.where}${name}.` };
  wrong(at, part, name, 'an object');
  return null;
};

/** Reads an object; null for null, undefined for a missing member. */
export const objectIfAny = (part: Part, name: string, at: FileFindings): Part | null | undefined => {
  const value = part.members[name];
  return isAbsent(value) ? (value as null | undefined) : objectOf(part, name, at);
};

/** Reads the objects of a list as parts; any other item is a problem. */
export const partsOf = (part: Part, name: string, at: FileFindings): readonly Part[] =>
  listOf(part, name, at).flatMap((item, index) => {
    const where = `${part.where}${name}[${index}]`;
    if (isObject(item)) return [{ members: item, where: `${where}.` }];
    at.problem(`${where} must be an object, it is ${describe(item)}`);
    return [];
  });
