import { isObject, isNumber } from '../../json.ts';

/** Returns the problem of a value as `<reason> at <path>`, or undefined. */
export type Check = (value: unknown, path: string) => string | undefined;

/** The first problem of several looks. */
export const firstOf = (problems: Iterable<string | undefined>): string | undefined => {
  for (const problem of problems) if (problem !== undefined) return problem;
  return undefined;
};

/** One of these values. */
export const one =
  (...values: readonly unknown[]): Check =>
  (value, path) =>
    values.includes(value) ? undefined : `expected ${values.map((v) => JSON.stringify(v)).join(' or ')} at ${path}`;

/** Any value; its content is not checked. */
export const anything: Check = () => undefined;

/** A number. */
export const number: Check = (value, path) => (isNumber(value) ? undefined : `expected a number at ${path}`);

/** true or false. */
export const flag: Check = (value, path) => (typeof value === 'boolean' ? undefined : `expected a boolean at ${path}`);

/** A text of so many characters, and of a pattern. */
export const string =
  ({ least = 0, most = Infinity, pattern }: { least?: number; most?: number; pattern?: RegExp } = {}): Check =>
  (value, path) => {
    if (typeof value !== 'string') return `expected a string at ${path}`;
    const size = [...value].length;
    if (size < least || size > most) return `expected ${least} to ${most} characters at ${path}`;
    return pattern === undefined || pattern.test(value) ? undefined : `does not match ${pattern.source} at ${path}`;
  };

/** A list; `unique` for one without repeated entries, `size` for one of exactly so many. */
export const list =
  (check: Check, { unique = false, size }: { unique?: boolean; size?: number } = {}): Check =>
  (value, path) => {
    if (!Array.isArray(value)) return `expected an array at ${path}`;
    if (size !== undefined && value.length !== size) return `expected ${size} items at ${path}`;
    if (unique && new Set(value).size < value.length) return `repeated items at ${path}`;
    return firstOf(value.map((item, index) => check(item, `${path}[${index}]`)));
  };

/** An object whose keys match a pattern and whose values all pass one check. */
export const map =
  (keys: RegExp, check: Check): Check =>
  (value, path) => {
    if (!isObject(value)) return `expected an object at ${path}`;
    return firstOf(
      Object.entries(value).map(([key, member]) =>
        keys.test(key) ? check(member, `${path}.${key}`) : `name ${JSON.stringify(key)} is not allowed at ${path}`,
      ),
    );
  };

type Members = Readonly<Record<string, Check>>;

/** An object with all required members, perhaps optional ones, and no others. */
export const closed =
  (required: Members, optional: Members = {}): Check =>
  (value, path) => {
    if (!isObject(value)) return `expected an object at ${path}`;
    const missing = Object.keys(required).find((key) => !Object.hasOwn(value, key));
    if (missing !== undefined) return `${JSON.stringify(missing)} is missing at ${path}`;
    const known = new Map(Object.entries({ ...required, ...optional }));
    return firstOf(
      Object.entries(value).map(([key, member]) => {
        const check = known.get(key);
        return check ? check(member, `${path}.${key}`) : `unknown member ${JSON.stringify(key)} at ${path}`;
      }),
    );
  };
