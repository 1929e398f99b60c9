import {
  readInboundConfig,
  readRecipients,
  readText,
  type InboundConfig,
  type InboundText,
} from '@ranger-relay/device';
import { RelayError } from '@ranger-relay/errors';
import { deliveryIdOf } from './delivery-id.ts';
import { isPushMessage } from './event-type.ts';
import type { PushInput, PushSettings } from './parts.ts';

/** A push as it is worked on. */
export interface Push {
  readonly input: PushInput;
  readonly deliveryId: string;
  /** Each once. */
  readonly recipients: readonly string[];
  /** The text with the account that sends it, or why no device can be sent it. */
  readonly sending: { readonly text: InboundText; readonly config: InboundConfig } | RelayError;
}

const mostRecipients = 1_000;

const unreadable = (problem: string): RelayError => new RelayError('push_data_invalid', { details: { problem } });

const sendingOf = (payload: unknown, auth: unknown, now: number): Push['sending'] => {
  const text = readText(payload, now);
  if (text instanceof RelayError) return text;
  const config = readInboundConfig(auth);
  return typeof config === 'string'
    ? new RelayError('push_unconfigured', { details: { field: config } })
    : { text, config };
};

const payloadOf = (data: unknown): unknown =>
  typeof data === 'object' && data !== null && 'payload' in data ? data.payload : undefined;

/** Reads a push (device contract, section 7); RelayError `push_data_invalid` when it names no devices at all. */
export const readPush = (input: PushInput, settings: PushSettings, now: number): Push | RelayError => {
  if (!isPushMessage(input, settings.eventType)) return unreadable(`its event_type is not ${settings.eventType}`);
  const payload = payloadOf(input.data);
  const recipients = readRecipients(payload);
  if (recipients === undefined) return unreadable('its payload has no list of Recipients');
  if (recipients.length === 0) return unreadable('it has no Recipients');
  if (recipients.length > mostRecipients) return unreadable(`it has more than ${mostRecipients} Recipients`);
  return {
    input,
    recipients,
    deliveryId: deliveryIdOf(input, settings.idAttribute),
    sending: sendingOf(payload, input.auth, now),
  };
};
