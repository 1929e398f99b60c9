import { hash } from 'node:crypto';
import { deadLetterBodyLimit, type DeadLetter } from '@ranger-relay/contracts';
import { redact, type Clock, type Random } from '@ranger-relay/runtime';

/** What a body or an event could not be used for. */
export interface Refused {
  readonly kind: 'webhook_body' | 'webhook_event';
  readonly integrationId: string;
  /** Registered code. */
  readonly reason: string;
  readonly detail: string;
  readonly bytes: Uint8Array;
  /** ms since 1970. */
  readonly receivedAt: number;
  /** As `safeHeaders` gives them. */
  readonly headers: Readonly<Record<string, string>>;
}

const headersLimit = 50;
const headerLength = 500;

/** Headers for a dead letter: bounded, and secrets masked. */
export const safeHeaders = (headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  redact(
    Object.fromEntries(
      Object.entries(headers)
        .slice(0, headersLimit)
        .map(([name, value]) => [name.slice(0, headerLength), String(value ?? '')]),
    ),
    headerLength,
  );

/** A dead letter of the webhook. A body over the limit is cut, with its true size and digest beside it, so that it can always be stored. */
export const deadLetterOf = (refused: Refused, { clock, random }: { clock: Clock; random: Random }): DeadLetter => {
  const { bytes } = refused;
  const truncated = bytes.length > deadLetterBodyLimit;
  return {
    v: 1,
    id: random.uuid(),
    kind: refused.kind,
    integration_id: refused.integrationId,
    reason: refused.reason,
    detail: refused.detail.slice(0, 500),
    received_at: new Date(refused.receivedAt).toISOString(),
    failed_at: new Date(clock.now()).toISOString(),
    attempts: 1,
    origin: null,
    headers: { ...refused.headers },
    body_base64: Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, deadLetterBodyLimit)).toString(
      'base64',
    ),
    bytes: bytes.length,
    sha256: hash('sha256', bytes),
    truncated,
  };
};
