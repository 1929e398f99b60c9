/** An object as it travels. */
export type Json = { [member: string]: unknown };

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A member that is an object; an empty one where there is none. */
export const memberOf = (value: Json, name: string): Json => {
  const member = value[name];
  return isObject(member) ? member : {};
};

/** A copy without some members. */
export const without = (object: Json, ...names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

export const metaOf = (object: Json): Json => memberOf(object, 'metadata');

/** `namespace/name`, or `name`. */
export const keyOf = (object: Json): string => {
  const { namespace, name } = metaOf(object);
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}/${String(name)}` : String(name);
};

export const sameJson = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b);

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1))) : member,
  ) ?? '';
