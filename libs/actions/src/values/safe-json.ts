/** Limits of a copied value: its depth, and the total number of values. */
const [maxDepth, maxValues] = [64, 200_000];

interface Walk {
  readonly above: Set<object>;
  left: number;
}

const scalar = (value: unknown): unknown => {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'function' || typeof value === 'symbol') return null;
  return value ?? null;
};

const plain = (value: object): unknown => {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), item as unknown]));
  if (value instanceof Set) return [...value];
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === 'function' ? (toJSON.call(value) as unknown) : value;
};

const members = (value: object, state: Walk): unknown => {
  if (Array.isArray(value)) return value.map((item) => walk(item, state));
  const kept = Object.keys(value).flatMap((key) => {
    const item = attempt(() => (value as Record<string, unknown>)[key]);
    return item === undefined || typeof item === 'function' ? [] : [[key, walk(item, state)]];
  });
  return Object.fromEntries(kept);
};

/** Reads a member; a getter or `toJSON` of a foreign object may throw. */
const attempt = (read: () => unknown): unknown => {
  try {
    return read();
  } catch {
    return '[unreadable]';
  }
};

const walk = (value: unknown, state: Walk): unknown => {
  if (typeof value !== 'object' || value === null) return scalar(value);
  if (state.above.has(value)) return '[cycle]';
  state.left -= 1;
  if (state.above.size >= maxDepth || state.left < 0) return '[cut]';
  state.above.add(value);
  const shown = attempt(() => plain(value));
  const result = shown === value ? attempt(() => members(value, state)) : walk(shown, state);
  state.above.delete(value);
  return result;
};

/**
 * Converts any value to JSON: cycles, members that are too deep and unreadable members become texts in brackets, big integers become their
 * digits, and other values that JSON lacks become null. Never throws.
 */
export const safeJson = (value: unknown): unknown => walk(value, { above: new Set(), left: maxValues });
