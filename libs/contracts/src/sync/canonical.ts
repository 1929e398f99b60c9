interface Ordering {
  /** The engine puts some names elsewhere than where they are set: those that look like numbers, and `__proto__`. */
  hasOddName: boolean;
}

const isOdd = (name: string): boolean => (name >= '0' && name < ':') || name === '__proto__';

/** Whether all members stand in order, and none has an odd name. */
const isOrdered = (value: unknown): boolean => {
  if (value === null || typeof value !== 'object') return true;
  if (Array.isArray(value)) return value.every(isOrdered);
  let before = '';
  for (const name in value) {
    if (name < before || isOdd(name) || !isOrdered((value as Record<string, unknown>)[name])) return false;
    before = name;
  }
  return true;
};

/** The value with members in order, so that one native call can write all of it; what is in order already is not copied. */
const ordered = (value: unknown, ordering: Ordering): unknown => {
  if (value === null || typeof value !== 'object' || isOrdered(value)) return value;
  if (Array.isArray(value)) return value.map((item) => ordered(item, ordering));
  const members: Record<string, unknown> = {};
  for (const name of Object.keys(value).sort()) {
    ordering.hasOddName ||= isOdd(name);
    members[name] = ordered((value as Record<string, unknown>)[name], ordering);
  }
  return members;
};

/** A number that stands there as text, with digits that a double would lose. */
const { isRawJSON } = JSON as unknown as { isRawJSON(value: unknown): boolean };

const written = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map((item) => written(item)).join(',')}]`;
  if (value === null || typeof value !== 'object' || isRawJSON(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${written(member)}`);
  return `{${members.join(',')}}`;
};

/** A value as canonical JSON (RFC 8785): members by UTF-16 code units, no spaces, numbers as ECMAScript writes them; undefined members are left out. */
export const canonicalJson = (value: unknown): string => {
  const ordering: Ordering = { hasOddName: false };
  const inOrder = ordered(value, ordering);
  return ordering.hasOddName ? written(value) : (JSON.stringify(inOrder) ?? 'null');
};
