type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown;

/** Part of the language since ES2026, but missing from its type definitions. */
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse(text: string, reviver: Reviver): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
};

/** The number of digits that every double preserves. */
const safeDigits = 15;
/** A text without a match contains no number with more digits. Texts are long, and few have such numbers. */
const longNumber = /[:,[]\s*-?\d[\d.]{15,}/;

const isRounded = (text: string): boolean =>
  text.replaceAll(/[eE].*|[-.]|^-?0[.0]*/g, '').length > safeDigits && String(Number(text)) !== text;

/**
 * Parses JSON without losing digits: a number that a double would round becomes an object that `JSON.stringify` writes as in the original
 * text.
 * @throws SyntaxError
 */
export const parseExactJson = (text: string): unknown =>
  longNumber.test(text)
    ? parse(text, (_, value, { source }) =>
        typeof value === 'number' && source !== undefined && isRounded(source) ? rawJSON(source) : value,
      )
    : JSON.parse(text);

const decoder = new TextDecoder();

/** The JSON value of a text, or of its UTF-8; undefined when it is none. */
export const jsonOf = (text: string | Uint8Array): unknown => {
  try {
    return JSON.parse(typeof text === 'string' ? text : decoder.decode(text));
  } catch {
    return undefined;
  }
};

/** Whether a JSON value is an object, and no list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A number as returned by {@link parseExactJson}. */
export const isExactNumber = (value: unknown): boolean => typeof value === 'number' || isRawJSON(value);

/** Formats a number of {@link parseExactJson} as text. */
export const numberText = (value: unknown): string => (isRawJSON(value) ? value.rawJSON : String(value));
