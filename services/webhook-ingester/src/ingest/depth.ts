const quote = 0x22;
const backslash = 0x5c;
/** `[` and `{` differ in one bit, and so do `]` and `}`. */
const lowerBit = 0x20;
const opener = 0x7b;
const closer = 0x7d;

/** Index of the quote that ends the string starting at `start`, or the end of the text. */
const endOfString = (json: Uint8Array, start: number): number => {
  for (let index = start + 1; index < json.length; index++) {
    const byte = json[index] as number;
    if (byte === quote) return index;
    if (byte === backslash) index++;
  }
  return json.length;
};

/** Whether the lists and objects of a JSON text are nested deeper than `limit`. One loop over the bytes, nothing recursive. */
export const isDeeperThan = (limit: number, json: Uint8Array): boolean => {
  let depth = 0;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index] as number;
    if (byte === quote) index = endOfString(json, index);
    else if ((byte | lowerBit) === opener) {
      depth++;
      if (depth > limit) return true;
    } else if ((byte | lowerBit) === closer) depth--;
  }
  return false;
};
