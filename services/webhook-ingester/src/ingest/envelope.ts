import { isRelayError, RelayError } from '@ranger-relay/errors';

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openList = 0x5b;
const openObject = 0x7b;
/** `[` and `{` differ in one bit, and so do `]` and `}`. */
const lowerBit = 0x20;
const closer = 0x7d;
const blank = 0x20;

/** Limits of a body; a body over a limit is not parsed. */
interface JsonLimits {
  readonly depth: number;
  /** Values of any kind, lists and objects included. */
  readonly values: number;
  /** Entries of one list that is a member of the outermost object. */
  readonly entries: number;
}

/** The limit that a body exceeds. */
export type ExceededLimit = keyof JsonLimits;

/** Number of bytes of a string that are checked one by one before `indexOf` searches the rest, which is faster only for long strings. */
const shortRun = 64;

/** Whether an odd number of backslashes precedes `index`; none of them lies before `from`. */
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

/** Whether the bracket at `index` closes an empty list or object. */
const closesNothing = (json: Uint8Array, index: number): boolean => {
  let before = index - 1;
  while ((json[before] as number) <= blank) before--;
  return ((json[before] as number) | lowerBit) === openObject;
};

/**
 * Returns the limit that a JSON text exceeds, before it is parsed: one loop over the bytes that allocates nothing. For text that is not
 * JSON, the result only shows that parsing it is cheap.
 */
export const exceededLimit = (json: Uint8Array, limits: JsonLimits): ExceededLimit | undefined => {
  let depth = 0;
  let outermost = 0;
  let values = 1;
  /** Entries of the list at depth 2; NaN elsewhere, which exceeds no limit. */
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

/** An envelope of the vendor with its events unchanged. */
export interface Envelope {
  readonly version: unknown;
  readonly events: readonly unknown[];
}

/** Limits of one body: nesting, values, events. */
const limits = { depth: 64, values: 500_000, entries: 10_000 };

const utf8 = new TextDecoder('utf-8', { fatal: true });

const invalid = (problem: string): RelayError => new RelayError('invalid_json', { details: { problem } });

const decode = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalid('it is not UTF-8');
  }
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(text.trim() === '' ? 'it is empty' : 'its syntax is invalid');
  }
};

/** Checks the bytes alone: parsing a body over the limits would already exhaust the memory of the process. */
const checkLimits = (bytes: Uint8Array): void => {
  const exceeded = exceededLimit(bytes, limits);
  if (exceeded === 'depth') throw invalid(`it is nested deeper than ${limits.depth}`);
  if (exceeded === 'values') throw new RelayError('too_many_values', { details: { limit: limits.values } });
  if (exceeded === 'entries') throw new RelayError('too_many_events', { details: { limit: limits.entries } });
};

/** Yields the event loop to other work between two steps of work on a body. */
export type YieldTurn = () => Promise<void>;

/**
 * Reads the bytes of a body, in steps.
 * @throws RelayError `invalid_json`, `not_an_envelope` (both without any content of the body), `too_many_events`, `too_many_values`
 */
export const readEnvelope = async (bytes: Uint8Array, yieldTurn: YieldTurn): Promise<Envelope> => {
  checkLimits(bytes);
  const text = decode(bytes);
  await yieldTurn();
  const value = parse(text);
  await yieldTurn();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new RelayError('not_an_envelope');
  const { Version: version, Events: events } = value as { Version?: unknown; Events?: unknown };
  if (!Array.isArray(events)) throw new RelayError('not_an_envelope');
  return { version, events };
};

/** The same, with an error about the form of the body as the result. @throws RelayError `too_many_events`, `too_many_values` */
export const tryReadEnvelope = async (bytes: Uint8Array, yieldTurn: YieldTurn): Promise<Envelope | RelayError> => {
  try {
    return await readEnvelope(bytes, yieldTurn);
  } catch (error) {
    if (isRelayError(error, 'invalid_json', 'not_an_envelope')) return error;
    throw error;
  }
};
