import { parseExactJson } from '@ranger-relay/site';

/** A JSON object whose members are not known yet. */
export type Members = Record<string, unknown>;

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A member that the object has itself; undefined for any other name. */
export const member = (value: unknown, name: string): unknown =>
  isMembers(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** A copy in which numbers keep every digit. */
export const copyJson = <T>(value: T): T => parseExactJson(JSON.stringify(value)) as T;

/** Whether two JSON values are the same; the order of members does not matter, that of lists does. */
export const equalJson = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => equalJson(item, b[index]));
  if (!isMembers(a) || !isMembers(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && equalJson(a[name], b[name]))
  );
};
