import { Buffer } from 'node:buffer';
import { keptBody, outboundMessageKey, type DeadLetter, type OutboundMessage } from '@ranger-relay/contracts';
import type { PushDeps, PushInput } from './parts.ts';
import { parentOf } from './trace-parent.ts';

/** Why a text, or all of a push, is given up. */
export interface GivenUp {
  readonly deliveryId: string;
  /** The one device; null when it is about all of them. */
  readonly recipient: string | null;
  /** A slug, usually a registered code. */
  readonly reason: string;
  readonly detail: string;
  /** Calls that were begun. */
  readonly attempts: number;
}

/** An object with another list of recipients in its payload; anything else as it is. */
const narrowed = (data: unknown, recipient: string | null): unknown => {
  if (recipient === null || typeof data !== 'object' || data === null || !('payload' in data)) return data;
  return { ...data, payload: { ...(data.payload as object), Recipients: [recipient] } };
};

/**
 * The dead letter of a text: its body is a record of `outbound-messages` for the one device, under the same delivery id, ready to be
 * published again (device contract, section 7).
 */
const letterOf = (input: PushInput, given: GivenUp, { clock, random, settings }: PushDeps): DeadLetter => {
  const { integrationId, attributes, data, receivedAt, origin } = input;
  const named = { destination_id: integrationId, [settings.idAttribute]: given.deliveryId };
  const content = {
    v: 1,
    attributes: { ...attributes, ...named },
    data: narrowed(data, given.recipient),
  } satisfies Record<keyof OutboundMessage, unknown>;
  const traceparent = parentOf(input);
  return {
    v: 1,
    id: random.uuid(),
    kind: 'push_message',
    integration_id: integrationId,
    reason: given.reason,
    detail: given.detail.slice(0, 500),
    received_at: new Date(receivedAt).toISOString(),
    failed_at: new Date(clock.now()).toISOString(),
    attempts: given.attempts,
    origin,
    headers: traceparent === undefined ? {} : { traceparent },
    ...keptBody(Buffer.from(JSON.stringify(content))),
  };
};

/** Stores the dead letter. @throws RelayError when it is not stored */
export const giveUp = (input: PushInput, given: GivenUp, deps: PushDeps): Promise<void> =>
  deps.publishDeadLetter(outboundMessageKey(input.integrationId, given.recipient ?? ''), letterOf(input, given, deps));
