import { isRecord } from '../api/object.ts';

/** How deep values are compared; what is deeper counts as different. */
const deepest = 50;

const sameMembers = (
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
  depth: number,
): boolean => {
  const names = Object.keys(a).filter((name) => a[name] !== undefined);
  const others = Object.keys(b).filter((name) => b[name] !== undefined);
  return names.length === others.length && names.every((name) => name in b && same(a[name], b[name], depth));
};

const same = (a: unknown, b: unknown, depth: number): boolean => {
  if (Object.is(a, b)) return true;
  if (depth === 0) return false;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, at) => same(item, b[at], depth - 1));
  return isRecord(a) && isRecord(b) && sameMembers(a, b, depth - 1);
};

/** Whether two values are the same as JSON: the order of members does not matter, and a member that is undefined is none. */
export const isSameJson = (a: unknown, b: unknown): boolean => same(a, b, deepest);
