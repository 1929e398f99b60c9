const escaped = /\\u[dD][89a-fA-F]/;

const isWellFormed = (value: unknown): boolean => {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  return Object.entries(value).every(([name, member]) => name.isWellFormed() && isWellFormed(member));
};

/** Whether a text or name of a parsed value holds half of a surrogate pair; that can only come from an escape in its JSON text. */
export const hasLoneSurrogate = (json: string, value: unknown): boolean =>
  json.includes('\\u') && escaped.test(json) && !isWellFormed(value);
