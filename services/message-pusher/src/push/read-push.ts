import { hash } from 'node:crypto';
import {
  type InboundConfig,
  type InboundText,
  readInboundConfig,
  readRecipients,
  readText,
} from '@ranger-relay/device';
import { canonicalId } from '@ranger-relay/contracts';
import { isObject, jsonOf, RelayError } from '@ranger-relay/errors';
import { readTraceparent, writeTraceparent } from '@ranger-relay/runtime';
import type { PushInput, PushSettings } from './dependencies.ts';

const maxLength = 200;

/** The platform writes a missing value as the word "None". */
const present = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' && value !== 'None' ? value.trim() : undefined;

const memberOf = (data: unknown, name: string): unknown => (isObject(data) ? data[name] : undefined);

const bounded = (id: string): string => (id.length > maxLength ? `sha256:${hash('sha256', id)}` : id);

/**
 * Identifies a text (device contract, section 7): by the attribute, else the data's `event_id`, else the envelope's message id. A bus
 * record without any of them is identified by its position, other input by the hash of its data.
 */
export const deliveryIdOf = (
  input: Pick<PushInput, 'attributes' | 'data' | 'messageId' | 'origin'>,
  attribute: string,
): string => {
  const { attributes, data, messageId, origin } = input;
  const id = present(attributes[attribute]) ?? present(memberOf(data, 'event_id')) ?? present(messageId);
  if (id !== undefined) return bounded(canonicalId(id));
  if (origin) return bounded(`${origin.topic}:${origin.partition}:${origin.offset}`);
  return `sha256:${hash('sha256', JSON.stringify(data) ?? '')}`;
};

const wellFormed = (parent: string | undefined): string | undefined => (readTraceparent(parent) ? parent : undefined);

const cloud = /^([\da-f]{32})\/(\d{1,20})(?:;o=(\d{1,3}))?$/i;

type Carrier = Readonly<Record<string, unknown>>;

const fromCloud = (text: string): string | undefined => {
  const [, trace = '', span = '', options = '0'] = cloud.exec(text.trim()) ?? [];
  if (trace === '' || BigInt(span) >= 2n ** 64n) return undefined;
  const spanId = BigInt(span).toString(16).padStart(16, '0');
  return wellFormed(writeTraceparent({ traceId: trace.toLowerCase(), spanId, sampled: Number(options) % 2 === 1 }));
};

const valueOf = (carrier: Carrier, wanted: string): string | undefined => {
  const value = Object.entries(carrier).find(([name]) => name.toLowerCase() === wanted)?.[1];
  return typeof value === 'string' ? value : undefined;
};

const fromCarrier = (carrier: Carrier): string | undefined => {
  const parent = valueOf(carrier, 'traceparent')?.trim().toLowerCase();
  return wellFormed(parent) ?? fromCloud(valueOf(carrier, 'x-cloud-trace-context') ?? '');
};

const contextOf = (text = ''): Carrier => {
  const parsed = jsonOf(text);
  return isObject(parsed) ? parsed : {};
};

/**
 * The W3C trace parent that a push carries (device contract, section 7): in the JSON of `tracing_context`, else in `traceparent` or
 * `x-cloud-trace-context` (`<32 hex>/<decimal span>;o=1`) of the attributes themselves. Undefined when none is well-formed.
 */
export const traceParentOf = (attributes: Readonly<Record<string, string>>): string | undefined =>
  fromCarrier(contextOf(valueOf(attributes, 'tracing_context'))) ?? fromCarrier(attributes);

/** The trace parent of a run: from the attributes, else from the header. */
export const parentOf = ({
  attributes,
  traceparent,
}: Pick<PushInput, 'attributes' | 'traceparent'>): string | undefined =>
  traceParentOf(attributes) ?? wellFormed(traceparent);

/** A push after it was read. */
export interface Push {
  readonly input: PushInput;
  readonly deliveryId: string;
  /** Without duplicates. */
  readonly recipients: readonly string[];
  /** The text with the account that sends it, or the error that keeps every device from being sent it. */
  readonly sending: { readonly text: InboundText; readonly config: InboundConfig } | RelayError;
}

const maxRecipients = 1_000;

const unreadable = (problem: string): RelayError => new RelayError('push_data_invalid', { details: { problem } });

const sendingOf = (payload: unknown, auth: unknown, now: number): Push['sending'] => {
  const text = readText(payload, now);
  if (text instanceof RelayError) return text;
  const config = readInboundConfig(auth);
  return typeof config === 'string'
    ? new RelayError('push_unconfigured', { details: { field: config } })
    : { text, config };
};

/** Reads a push (device contract, section 7); returns RelayError `push_data_invalid` when it is no usable message to devices. */
export const readPush = (input: PushInput, settings: PushSettings, now: number): Push | RelayError => {
  const payload = memberOf(input.data, 'payload');
  const recipients = readRecipients(payload);
  if (recipients === undefined) return unreadable('its payload has no list of Recipients');
  if (recipients.length === 0) return unreadable('it has no Recipients');
  if (recipients.length > maxRecipients) return unreadable(`it has more than ${maxRecipients} Recipients`);
  return {
    input,
    recipients,
    deliveryId: deliveryIdOf(input, settings.idAttribute),
    sending: sendingOf(payload, input.auth, now),
  };
};
