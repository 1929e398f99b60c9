import { isDeepStrictEqual } from 'node:util';

type Members = Readonly<Record<string, unknown>>;

/**
 * One value that an update replaces: a member, or a key of `additional`. `additional` is sent whole and belongs to many; an update is about
 * the keys that it changes, and about no other.
 */
interface Replaced {
  readonly name: string;
  readonly key: string | null;
  /** Undefined: the key is absent. */
  readonly before: unknown;
  readonly written: unknown;
}

/** Values that an update replaces, as a plan or a record has them. */
export interface Replacement {
  readonly before?: Members | undefined;
  readonly written: Members;
}

/** Whether an object has all of these members with these values; member order does not count. */
export const sameMembers = (present: object, members: Members): boolean =>
  Object.entries(members).every(([name, value]) => isDeepStrictEqual((present as Members)[name], value));

const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});

const replacedKeys = (before: Members, written: Members): Replaced[] =>
  [...new Set([...Object.keys(before), ...Object.keys(written)])]
    .filter((key) => !isDeepStrictEqual(before[key], written[key]))
    .map((key) => ({ name: 'additional', key, before: before[key], written: written[key] }));

const replacedBy = ({ before = {}, written }: Replacement): Replaced[] =>
  Object.keys(before).flatMap((name) =>
    name === 'additional'
      ? replacedKeys(membersOf(before[name]), membersOf(written[name]))
      : [{ name, key: null, before: before[name], written: written[name] }],
  );

const valueIn = (present: object, { name, key }: Replaced): unknown => {
  const value = (present as Members)[name];
  return key === null ? value : membersOf(value)[key];
};

/** How an object stands to an update of it: as before, as written, in between (some values each), or `changed` by somebody else. */
export type Standing = 'before' | 'written' | 'between' | 'changed';

/** Compares the values that an update replaces with those that are there; all others do not count. */
export const standingOf = (present: object, replacement: Replacement): Standing => {
  const replaced = replacedBy(replacement);
  const is = (side: 'before' | 'written') => (each: Replaced) => isDeepStrictEqual(valueIn(present, each), each[side]);
  if (replaced.every(is('before'))) return 'before';
  if (replaced.every(is('written'))) return 'written';
  return replaced.every((each) => is('before')(each) || is('written')(each)) ? 'between' : 'changed';
};

/** What to send so that an object gets the values of one side of an update and keeps everything else, with what that replaces there. */
export const towards = (
  present: object,
  replacement: Replacement,
  side: 'before' | 'written',
): { readonly before: Members; readonly written: Members } | undefined => {
  const due = replacedBy(replacement).filter((each) => !isDeepStrictEqual(valueIn(present, each), each[side]));
  if (due.length === 0) return undefined;
  const written: Record<string, unknown> = {};
  for (const { name, key, [side]: value } of due) {
    if (key === null) written[name] = value;
    else {
      const whole: Record<string, unknown> = { ...membersOf(written[name] ?? (present as Members)[name]) };
      if (value === undefined) delete whole[key];
      else whole[key] = value;
      written[name] = whole;
    }
  }
  const before = Object.fromEntries(Object.keys(written).map((name) => [name, (present as Members)[name]]));
  return { before, written };
};
