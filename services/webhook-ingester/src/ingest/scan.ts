const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openList = 0x5b;
const openObject = 0x7b;
/** `[` and `{` differ in one bit, and so do `]` and `}`. */
const lowerBit = 0x20;
const closer = 0x7d;
const blank = 0x20;

/** What a body may hold; beyond it nothing is parsed. */
export interface JsonLimits {
  readonly depth: number;
  /** Values of any kind, lists and objects included. */
  readonly values: number;
  /** Entries of one list that is a member of the outermost object. */
  readonly entries: number;
}

/** The limit that a body is over. */
export type ExceededLimit = keyof JsonLimits;

/** So many bytes of a string are looked at one by one before the rest is searched, which is faster only where it is long. */
const shortRun = 64;

/** Whether an odd number of backslashes, of which none lies before `from`, stands before `index`. */
const isEscaped = (json: Uint8Array, index: number, from: number): boolean => {
  let before = index;
  while (before > from && json[before - 1] === backslash) before--;
  return (index - before) % 2 === 1;
};

/** Index of the quote that ends the string starting at `start`, or the end of the text. */
const endOfString = (json: Uint8Array, start: number): number => {
  for (let index = start + 1; index < json.length; index++) {
    for (const stop = index + shortRun; index < stop; index++) {
      const byte = json[index];
      if (byte === quote) return index;
      if (byte === backslash) index++;
    }
    const from = index;
    index = json.indexOf(quote, from);
    if (index < 0) return json.length;
    if (!isEscaped(json, index, from)) return index;
  }
  return json.length;
};

/** Whether the bracket at `index` closes a list or object without anything in it. */
const closesNothing = (json: Uint8Array, index: number): boolean => {
  let before = index - 1;
  while ((json[before] as number) <= blank) before--;
  return ((json[before] as number) | lowerBit) === openObject;
};

/**
 * Whether a JSON text is over a limit, found out before it is parsed: one loop over the bytes that allocates nothing. Of what is no JSON it
 * says only that parsing it is cheap.
 */
export const exceededLimit = (json: Uint8Array, limits: JsonLimits): ExceededLimit | undefined => {
  let depth = 0;
  let outermost = 0;
  let values = 1;
  /** Of the list at depth 2; elsewhere not a number, which is over no limit. */
  let entries = Number.NaN;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index] as number;
    if (byte === quote) index = endOfString(json, index);
    else if (byte === comma) {
      if (++values > limits.values) return 'values';
      if (depth === 2 && ++entries > limits.entries) return 'entries';
    } else if ((byte | lowerBit) === openObject) {
      values++;
      if (++depth > limits.depth) return 'depth';
      if (depth === 1) outermost = byte;
      if (depth === 2) entries = byte === openList && outermost === openObject ? 1 : Number.NaN;
    } else if ((byte | lowerBit) === closer) {
      depth--;
      if (closesNothing(json, index)) values--;
    }
  }
  return values > limits.values ? 'values' : undefined;
};
