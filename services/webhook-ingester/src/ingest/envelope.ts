import { deadLetterBodyLimit } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { exceededLimit } from './scan.ts';

/** An envelope of the vendor with its events as they came. */
export interface Envelope {
  readonly version: unknown;
  readonly events: readonly unknown[];
}

/** What one body may hold: nesting, values, events. */
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
    throw invalid(text.trim() === '' ? 'it is empty' : 'its syntax is broken');
  }
};

/** Refuses by the bytes alone: parsing what holds too much would already cost the process its memory. */
const checkLimits = (bytes: Uint8Array): void => {
  const exceeded = exceededLimit(bytes, limits);
  if (exceeded === 'depth') throw invalid(`it is nested deeper than ${limits.depth}`);
  if (exceeded === 'values') throw new RelayError('too_many_values', { details: { limit: limits.values } });
  if (exceeded === 'entries') throw new RelayError('too_many_events', { details: { limit: limits.entries } });
};

/** Gives the event loop to others between two steps of work on a body. */
export type Rest = () => Promise<void>;

/**
 * Reads the bytes of a body, in steps.
 * @throws RelayError `invalid_json`, `not_an_envelope` (both without any content of the body), `too_many_events`, `too_many_values`
 */
export const readEnvelope = async (bytes: Uint8Array, rest: Rest): Promise<Envelope> => {
  checkLimits(bytes);
  const text = decode(bytes);
  await rest();
  const value = parse(text);
  await rest();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new RelayError('not_an_envelope');
  const { Version: version, Events: events } = value as { Version?: unknown; Events?: unknown };
  if (!Array.isArray(events)) throw new RelayError('not_an_envelope');
  return { version, events };
};

const textOfVersion = (version: unknown): string =>
  typeof version === 'string' && version.length <= 20 ? version : '2.0';

/** Nobody uses the media of an event that is given up, and they would leave no room for its neighbours. */
const withoutMedia = (event: unknown): unknown =>
  typeof event === 'object' && event !== null && 'mediaBytes' in event ? { ...event, mediaBytes: null } : event;

const shortened = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.slice(0, deadLetterBodyLimit + 1) : value;

/** The JSON of a body that holds these events, to be taken in again; of no text more than a dead letter keeps. */
export function* envelopePieces(events: readonly unknown[], version: unknown, bodyBytes: number): Generator<string> {
  const replacer = bodyBytes > deadLetterBodyLimit && events.length === 1 ? shortened : undefined;
  yield `{"Version":${JSON.stringify(textOfVersion(version))},"Events":[`;
  for (const [index, event] of events.entries())
    yield (index > 0 ? ',' : '') + JSON.stringify(withoutMedia(event), replacer);
  yield ']}';
}

/** The body that holds one event, given as JSON, to be taken in again. */
export const envelopeOf = (event: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from('{"Version":"2.0","Events":['), event, Buffer.from(']}')]);
