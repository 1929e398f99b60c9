import { Buffer } from 'node:buffer';
import { outboundMessageKey, type OutboundMessage } from '@ranger-relay/contracts';
import type { PushDeps, PushInput } from './dependencies.ts';
import { parentOf } from './read-push.ts';

/** Why a text, or a whole push, is dead-lettered. */
export interface GivenUp {
  readonly deliveryId: string;
  /** The device; null when the whole push is concerned. */
  readonly recipient: string | null;
  /** A slug, usually a registered code. */
  readonly reason: string;
  readonly detail: string;
  /** Number of calls that were started. */
  readonly attempts: number;
}

/** The data with the recipient as its only one; data without a payload stays unchanged. */
const narrowed = (data: unknown, recipient: string | null): unknown => {
  if (recipient === null || typeof data !== 'object' || data === null || !('payload' in data)) return data;
  return { ...data, payload: { ...(data.payload as object), Recipients: [recipient] } };
};

/**
 * Stores the dead letter of a text. Its body is a record of `outbound-messages` for the one device, under the same delivery id, ready to be
 * republished (device contract, section 7).
 * @throws RelayError when it is not stored
 */
export const giveUp = (
  input: PushInput,
  { deliveryId, recipient, ...given }: GivenUp,
  { settings, deadLetters }: PushDeps,
): Promise<void> => {
  const { integrationId, attributes, data, receivedAt, origin } = input;
  const named = { destination_id: integrationId, [settings.idAttribute]: deliveryId };
  const content = {
    v: 1,
    attributes: { ...attributes, ...named },
    data: narrowed(data, recipient),
  } satisfies Record<keyof OutboundMessage, unknown>;
  const traceparent = parentOf(input);
  const headers = traceparent === undefined ? {} : { traceparent };
  const body = Buffer.from(JSON.stringify(content));
  const facts = { kind: 'push_message', integrationId, ...given, receivedAt, origin, headers, body } as const;
  return deadLetters.write(facts, { key: outboundMessageKey(integrationId, recipient ?? '') });
};
