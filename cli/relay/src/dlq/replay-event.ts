import { hash } from 'node:crypto';
import type { OutgoingRecord } from '@ranger-relay/bus';
import { sourceEventKey, sourceEventSchema, type SourceEvent } from '@ranger-relay/contracts';
import { cleanJson, RelayError } from '@ranger-relay/errors';
import type { StoredLetter } from '@ranger-relay/service';

const refuse = (id: string, reason: string): RelayError =>
  new RelayError('dead_letter_not_replayable', { details: { id, reason } });

/**
 * The event that a letter of a refused observation or message keeps.
 * @throws RelayError `dead_letter_not_replayable`
 */
export const eventOf = (letter: StoredLetter): SourceEvent => {
  if (letter.reason === 'record_unreadable')
    throw refuse(letter.id, 'its record could not be read, so nothing of it can be sent; it can only be dropped');
  try {
    const parsed = sourceEventSchema.safeParse(JSON.parse(Buffer.from(letter.body_base64, 'base64').toString('utf8')));
    if (parsed.success) return parsed.data;
  } catch {
    // Not JSON: refused as any other body that is no event.
  }
  throw refuse(letter.id, 'what is kept is not an event that this version reads; it can only be dropped');
};

/**
 * A refused part goes out as an event of its own: the original one counts as sent by its id, and so would the part. The id is the same
 * each time, so a replay that is repeated after a crash reaches the platform once.
 */
const replayId = (event: SourceEvent, letterId: string): string =>
  hash('sha256', `${event.event_id}:replay:${letterId}`, 'hex');

const headersOf = ({ headers }: StoredLetter): Record<string, string> =>
  headers['traceparent'] === undefined ? {} : { traceparent: headers['traceparent'] };

/**
 * The record that sends a letter's event again, with the key it had. An event on which the handler failed keeps its id: what of it was
 * accepted before is known by it.
 */
export const eventRecordOf = (letter: StoredLetter, event: SourceEvent): OutgoingRecord => {
  const whole = letter.reason === 'handler_failed';
  const value = whole ? event : { ...event, event_id: replayId(event, letter.id) };
  return {
    key: sourceEventKey(event.integration_id, event.source),
    value: cleanJson(value),
    headers: headersOf(letter),
  };
};
