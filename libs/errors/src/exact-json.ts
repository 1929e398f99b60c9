/** Part of the language since ES2026, but missing from its type definitions and from Node 20. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): unknown;
  isRawJSON?(value: unknown): value is { readonly rawJSON: string };
};

/** The number of digits that every double preserves. */
const safeDigits = 15;
/** A text without a match contains no number with more digits. Texts are long, and few have such numbers. */
const longNumber = /[:,[]\s*-?\d[\d.]{15,}/;
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

const isRounded = (text: string): boolean =>
  text.replaceAll(/[eE].*|[-.]|^-?0[.0]*/g, '').length > safeDigits && String(Number(text)) !== text;

/** Returns a member name that does not occur in the text. */
const nameBeside = (text: string): string => {
  let name = '#';
  while (text.includes(name)) name += '#';
  return name;
};

/**
 * Parses JSON without losing digits: a number that a double would round becomes an object that `JSON.stringify` writes as in the original
 * text.
 * @throws SyntaxError
 */
export const parseExactJson = (text: string): unknown => {
  if (!longNumber.test(text)) return JSON.parse(text);
  const name = nameBeside(text);
  const marked = text.replaceAll(stringOrNumber, (token) =>
    !token.startsWith('"') && isRounded(token) ? `{"${name}":"${token}"}` : token,
  );
  if (marked === text) return JSON.parse(text);
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, name)
      ? rawJSON(String(Reflect.get(value, name)))
      : value,
  );
};

/** A number as returned by {@link parseExactJson}. */
export const isExactNumber = (value: unknown): boolean => typeof value === 'number' || isRawJSON?.(value) === true;

/** Formats a number of {@link parseExactJson} as text. */
export const numberText = (value: unknown): string => (isRawJSON?.(value) ? value.rawJSON : String(value));
