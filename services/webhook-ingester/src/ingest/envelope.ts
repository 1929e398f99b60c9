import { RelayError } from '@ranger-relay/errors';
import { isDeeperThan } from './depth.ts';

/** An envelope of the vendor with its events as they came. */
export interface Envelope {
  readonly version: unknown;
  readonly events: readonly unknown[];
}

/** Most events of one body. */
export const eventsLimit = 10_000;
/** Deepest nesting of a body. */
export const depthLimit = 64;

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

/**
 * Reads the bytes of a body.
 * @throws RelayError `invalid_json`, `not_an_envelope` (both without any content of the body), `too_many_events`
 */
export const readEnvelope = (bytes: Uint8Array): Envelope => {
  if (isDeeperThan(depthLimit, bytes)) throw invalid(`it is nested deeper than ${depthLimit}`);
  const value = parse(decode(bytes));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new RelayError('not_an_envelope');
  const { Version: version, Events: events } = value as { Version?: unknown; Events?: unknown };
  if (!Array.isArray(events)) throw new RelayError('not_an_envelope');
  if (events.length > eventsLimit)
    throw new RelayError('too_many_events', { details: { count: events.length, limit: eventsLimit } });
  return { version, events };
};

/** The body that holds one stored event alone, to take it in again. */
export const envelopeOf = (event: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from('{"Version":"2.0","Events":['), event, Buffer.from(']}')]);
