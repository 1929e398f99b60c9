import type { Bus } from '@ranger-relay/bus';
import { keptBody, type DeadLetter, type DeadLetterKind } from '@ranger-relay/contracts';
import { redact, type Context } from '@ranger-relay/runtime';

/** A request that is answered 200 although nothing came of it. */
export interface Buried {
  readonly kind: Extract<DeadLetterKind, 'push_envelope' | 'push_message' | 'command' | 'config_event'>;
  readonly integrationId: string | null;
  /** A slug, usually a registered code. */
  readonly reason: string;
  readonly detail: string;
  /** The body of the request as it came. */
  readonly bytes: Uint8Array;
  /** Bytes that came; more than `bytes` when the rest was dropped. */
  readonly size: number;
  readonly headers: Readonly<Record<string, string>>;
  /** ms since 1970. */
  readonly receivedAt: number;
  readonly attempts: number;
}

/** Keeps what cannot be worked on. @throws RelayError of the bus */
export type Bury = (buried: Buried) => Promise<void>;

const mostHeaders = 50;
const longest = 500;

const safeHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  redact(Object.fromEntries(Object.entries(headers).slice(0, mostHeaders)), longest);

const iso = (ms: number): string => new Date(ms).toISOString();

/** Makes the burials of a service. */
export const createBury = (
  bus: Pick<Bus, 'publish'>,
  topic: string,
  { clock, random, metrics }: Pick<Context, 'clock' | 'random' | 'metrics'>,
): Bury => {
  return async (buried) => {
    const { kind, integrationId, reason, detail, headers, receivedAt, attempts, bytes, size } = buried;
    const letter: DeadLetter = {
      v: 1,
      id: random.uuid(),
      kind,
      integration_id: integrationId,
      reason,
      detail: detail.slice(0, longest),
      received_at: iso(receivedAt),
      failed_at: iso(clock.now()),
      attempts,
      origin: null,
      headers: safeHeaders(headers),
      ...keptBody(bytes, size),
    };
    await bus.publish(topic, [{ key: integrationId ?? letter.id, value: JSON.stringify(letter) }]);
    metrics.count('relay_dead_letters_total', { kind, reason });
  };
};
