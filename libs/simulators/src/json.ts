/** An object of JSON. */
export type Body = Readonly<Record<string, unknown>>;

/** An object that is no array. */
export const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the platform and the site say of a value that is no object. */
export const notAnObject = 'Invalid data. Expected a dictionary.';

type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown;

const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  isRawJSON(value: unknown): boolean;
  parse(text: string, reviver: Reviver): unknown;
  rawJSON(text: string): unknown;
};

const isRounded = (value: unknown, source: string): boolean =>
  typeof value === 'number' && /^-?\d{16,}$/.test(source) && BigInt(source) !== BigInt(value);

/** Parses JSON as the site's database keeps it: an integer beyond 2^53 is written out again with every digit. */
export const parseExact = (text: string): unknown =>
  parse(text, (_, value, { source = '' }) => (isRounded(value, source) ? rawJSON(source) : value));

/** A number, also one of too many digits for a double. */
export const isNumber = (value: unknown): boolean => typeof value === 'number' || isRawJSON(value);
