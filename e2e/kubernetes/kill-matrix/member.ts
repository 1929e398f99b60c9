import { isRecord } from '@ranger-relay/operator-kit';

/** A member of a member of what may be an object. */
export const memberOf = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((found, name) => (isRecord(found) ? found[name] : undefined), value);
