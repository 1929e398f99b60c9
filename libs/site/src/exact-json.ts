/** In the language since ES2026; its types are not, and Node 20 does not have it. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): unknown;
  isRawJSON?(value: unknown): value is { readonly rawJSON: string };
};

/** Digits that every double keeps. */
const safeDigits = 15;
/** No text without this holds a number of more digits; texts are long, and hardly any does. */
const longNumber = /[:,[]\s*-?\d[\d.]{15,}/;
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

const isRounded = (text: string): boolean =>
  text.replaceAll(/[eE].*|[-.]|^-?0[.0]*/g, '').length > safeDigits && String(Number(text)) !== text;

/** A name that the text does not hold. */
const nameBeside = (text: string): string => {
  let name = '#';
  while (text.includes(name)) name += '#';
  return name;
};

/**
 * Parses JSON so that it can be written again with every digit: a number that a double would round is an object that `JSON.stringify` writes
 * as it stood there.
 * @throws SyntaxError
 */
export const parseExactJson = (text: string): unknown => {
  if (!longNumber.test(text)) return JSON.parse(text);
  const name = nameBeside(text);
  const marked = text.replaceAll(stringOrNumber, (token) =>
    !token.startsWith('"') && isRounded(token) ? `{"${name}":"${token}"}` : token,
  );
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, name)
      ? rawJSON(String(Reflect.get(value, name)))
      : value,
  );
};

/** A number, as {@link parseExactJson} gives it. */
export const isExactNumber = (value: unknown): boolean => typeof value === 'number' || isRawJSON?.(value) === true;

/** A number of {@link parseExactJson} as text. */
export const numberText = (value: unknown): string => (isRawJSON?.(value) ? value.rawJSON : String(value));
