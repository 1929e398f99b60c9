import { describe, type FileFindings, quote } from '../findings.ts';
import { canonicalUuid } from '../identity/uuid.ts';
import { isObject, type Members } from '../json/parse-line.ts';
import { isBlankLabel } from '../labels/label.ts';
import type { Names } from '../model.ts';
import { isDate } from '../time/timestamp.ts';

/** Records of a file with the lines (from 1) that they stand in, for what is found out only later. */
export interface Kept<T> {
  readonly file: string;
  readonly records: T[];
  readonly lines: number[];
}

/** Nothing kept yet. */
export const noneKept = <T>(file: string): Kept<T> => ({ file, records: [], lines: [] });

/** What reading the records of one file needs beside them. */
export interface RecordContext {
  readonly at: FileFindings;
  /** Codes of the languages in the manifest. */
  readonly languages: ReadonlySet<string>;
  /** Lines of the uuids of the records so far, and of what lies inside them. */
  readonly uuids: Map<string, number>;
  readonly innerUuids: Map<string, number>;
  /** Labels by their JSON. */
  readonly shared: Map<string, Names>;
}

/** A context for a file of which nothing is read yet. */
export const recordContext = (at: FileFindings, languages: ReadonlySet<string>): RecordContext => ({
  at,
  languages,
  uuids: new Map(),
  innerUuids: new Map(),
  shared: new Map(),
});

/** Notes a canonical uuid as taken; one that was taken before in this file, in whatever spelling, is a problem. */
export const takeUuid = (uuid: string, where: string, lines: Map<string, number>, at: FileFindings): void => {
  if (uuid === '') return;
  const first = lines.get(uuid);
  if (first === undefined) lines.set(uuid, at.line);
  else at.problem(`${where}uuid ${uuid} stands in the file twice, first in line ${first}`);
};

/** The uuid of a record, unique in its file. */
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

// Each reader notes a problem and returns a stand-in when the member is not what it must be: a bundle with a problem is never used.

/** A record, or a part of one, with the place that messages name before its members (`options[3].`, or nothing). */
export interface Part {
  readonly members: Members;
  readonly where: string;
}

const wrong = (at: FileFindings, { members, where }: Part, name: string, wanted: string): void => {
  at.problem(`${where}${name} must be ${wanted}, it is ${describe(members[name])}`);
};

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** A text, `''` included. */
export const textOf = (part: Part, name: string, at: FileFindings): string => {
  const value = part.members[name];
  if (typeof value === 'string') return value;
  wrong(at, part, name, 'a text');
  return '';
};

/** A text of `min` to `max` code points. */
export const boundedText = (part: Part, name: string, [min, max]: readonly [number, number], at: FileFindings) => {
  const text = textOf(part, name, at);
  const length = text.length > max ? [...text].length : text.length;
  if (typeof part.members[name] === 'string' && (length < min || length > max))
    at.problem(`${part.where}${name} must have ${min} to ${max} characters, it has ${length}`);
  return text;
};

/** A text or null; absent is as null. */
export const textOrNull = (part: Part, name: string, at: FileFindings): string | null =>
  isAbsent(part.members[name]) ? null : textOf(part, name, at);

/** A key; an empty one is as null, because no value can be made of either (bundle contract, 3). */
export const keyOf = (part: Part, name: string, at: FileFindings): string | null => textOrNull(part, name, at) || null;

/** `true` or `false`; `"true"`, 1 and null are neither. */
export const flagOf = (part: Part, name: string, at: FileFindings): boolean => {
  const value = part.members[name];
  if (typeof value === 'boolean') return value;
  wrong(at, part, name, 'true or false');
  return false;
};

/** A whole number. */
export const integerOf = (part: Part, name: string, at: FileFindings, least = Number.MIN_SAFE_INTEGER): number => {
  const value = part.members[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  wrong(at, part, name, `a whole number${least === 0 ? ' of 0 or more' : ''}`);
  return 0;
};

/** A uuid in canonical spelling; `''` stands for a wrong one. */
export const uuidOf = (part: Part, name: string, at: FileFindings): string => {
  const value = part.members[name];
  const uuid = typeof value === 'string' ? canonicalUuid(value) : null;
  if (uuid !== null) return uuid;
  wrong(at, part, name, 'a uuid of 32 hex digits that are not all zero');
  return '';
};

/** A uuid or null; absent is as null. */
export const uuidOrNull = (part: Part, name: string, at: FileFindings): string | null =>
  isAbsent(part.members[name]) ? null : uuidOf(part, name, at);

/** A date of the calendar as `2019-03-01`. */
export const dateOf = (part: Part, name: string, at: FileFindings): string => {
  const value = part.members[name];
  if (typeof value === 'string' && isDate(value)) return value;
  wrong(at, part, name, 'a date as 2019-03-01');
  return '';
};

/** A date or null; absent is as null. */
export const dateOrNull = (part: Part, name: string, at: FileFindings): string | null =>
  isAbsent(part.members[name]) ? null : dateOf(part, name, at);

/** A list; absent and null are none. */
export const listOf = (part: Part, name: string, at: FileFindings): readonly unknown[] => {
  const value = part.members[name];
  if (Array.isArray(value)) return value;
  if (!isAbsent(value)) wrong(at, part, name, 'a list');
  return [];
};

/** An object as a part of its own, or null with a problem. */
export const objectOf = (part: Part, name: string, at: FileFindings): Part | null => {
  const value = part.members[name];
  if (isObject(value)) return { members: value, where: `${part.where}${name}.` };
  wrong(at, part, name, 'an object');
  return null;
};

/** An object, null when the record says null, undefined when it says nothing. */
export const objectIfAny = (part: Part, name: string, at: FileFindings): Part | null | undefined => {
  const value = part.members[name];
  return isAbsent(value) ? (value as null | undefined) : objectOf(part, name, at);
};

/** The items of a list that are objects, as parts; another item is a problem. */
export const partsOf = (part: Part, name: string, at: FileFindings): readonly Part[] =>
  listOf(part, name, at).flatMap((item, index) => {
    const where = `${part.where}${name}[${index}]`;
    if (isObject(item)) return [{ members: item, where: `${where}.` }];
    at.problem(`${where} must be an object, it is ${describe(item)}`);
    return [];
  });
