import { isDeepStrictEqual } from 'node:util';

/** Whether an object has all of these members with these values; member order does not count. */
export const sameMembers = (present: object, members: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(members).every(([name, value]) =>
    isDeepStrictEqual((present as Record<string, unknown>)[name], value),
  );
