/** Largest event without its media, bytes of JSON. */
export const eventBytesLimit = 256 * 1024;

const media = 'mediaBytes';
/** Bytes of JSON that a character takes at most, escaped, and a number or word. */
const characterBytes = 6;
const scalarBytes = 25;

/** Characters of all texts and names of a value without its media, and the number of its values: bounds of the size of its JSON, for little. */
const measure = (value: unknown): { characters: number; values: number } => {
  if (typeof value === 'string') return { characters: value.length, values: 1 };
  const sum = { characters: 0, values: 1 };
  if (typeof value !== 'object' || value === null) return sum;
  for (const [name, member] of Object.entries(value)) {
    if (name === media) continue;
    const { characters, values } = measure(member);
    sum.characters += name.length + characters;
    sum.values += values;
  }
  return sum;
};

const withoutMedia = (key: string, value: unknown): unknown => (key === media ? undefined : value);

/**
 * Whether an event is over the limit without its `mediaBytes`. The size of the body it came in spares the measuring where the whole is below; only
 * what is near the limit is written as JSON. The depth of the event must be bounded before.
 */
export const isTooLarge = (event: unknown, bodyBytes: number): boolean => {
  if (bodyBytes <= eventBytesLimit || typeof event !== 'object' || event === null) return false;
  const { characters, values } = measure(event);
  if (characters * characterBytes + values * scalarBytes <= eventBytesLimit) return false;
  return characters > 2 * eventBytesLimit || Buffer.byteLength(JSON.stringify(event, withoutMedia)) > eventBytesLimit;
};
