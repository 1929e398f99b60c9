import { isDeepStrictEqual } from 'node:util';

type Members = Readonly<Record<string, unknown>>;

/**
 * One value that an update replaces: a member, or a key of `additional`. Other writers also store keys in `additional`, which is sent as a
 * whole; an update covers only the keys that it changes.
 */
interface Replaced {
  readonly name: string;
  readonly key: string | null;
  /** Undefined when the key is absent. */
  readonly before: unknown;
  readonly written: unknown;
}

/** The values that an update replaces, as a plan or a record stores them. */
export interface Replacement {
  readonly before?: Members | undefined;
  readonly written: Members;
}

/** Whether an object has all of these members with these values; the order of members does not matter. */
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

/** State of an object relative to an update: old values, new values, some of each, or other values (`changed`). */
export type Standing = 'before' | 'written' | 'between' | 'changed';

/** Compares the current values with those that an update replaces; ignores all other values. */
export const standingOf = (present: object, replacement: Replacement): Standing => {
  const replaced = replacedBy(replacement);
  const is = (side: 'before' | 'written') => (each: Replaced) => isDeepStrictEqual(valueIn(present, each), each[side]);
  if (replaced.every(is('before'))) return 'before';
  if (replaced.every(is('written'))) return 'written';
  return replaced.every((each) => is('before')(each) || is('written')(each)) ? 'between' : 'changed';
};

/** The patch that gives an object the values of one side of an update and keeps all others, with the values that the patch replaces. */
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
