import type { DeadLetterFacts } from '@ranger-relay/bus';
import { deadLetterBodyLimit } from '@ranger-relay/contracts';
import type { RejectCode } from '@ranger-relay/device';
import type { Clock } from '@ranger-relay/runtime';
import type { Envelope } from './envelope.ts';

/** An entry of the response's `rejected` list; `index` is null for the whole body. */
export interface Rejected {
  readonly index: number | null;
  readonly code: RejectCode | 'invalid_json' | 'not_an_envelope';
  readonly reason: string;
}

/** Number of events mapped without a pause; they occupy the event loop for a few milliseconds. */
export const eventsInARow = 100;

/** A body of which something was rejected. */
export interface ReceivedBody {
  readonly integrationId: string;
  readonly bytes: Uint8Array;
  /** ms since 1970; for a replay, the time of the first receipt. */
  readonly receivedAt: number;
  /** Headers for dead letters, requested only when one is written. */
  readonly headers?: () => DeadLetterFacts['headers'];
}

const textOfVersion = (version: unknown): string =>
  typeof version === 'string' && version.length <= 20 ? version : '2.0';

/** The media of a rejected event have no use, and would leave no room for other events. */
const withoutMedia = (event: unknown): unknown =>
  typeof event === 'object' && event !== null && 'mediaBytes' in event ? { ...event, mediaBytes: null } : event;

const shortened = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.slice(0, deadLetterBodyLimit + 1) : value;

/** The JSON of a body with these events, ready to be ingested again; each text is cut to what a dead letter keeps. */
function* envelopePieces(events: readonly unknown[], version: unknown, bodyBytes: number): Generator<string> {
  const replacer = bodyBytes > deadLetterBodyLimit && events.length === 1 ? shortened : undefined;
  yield `{"Version":${JSON.stringify(textOfVersion(version))},"Events":[`;
  for (const [index, event] of events.entries())
    yield (index > 0 ? ',' : '') + JSON.stringify(withoutMedia(event), replacer);
  yield ']}';
}

/** Hashes outside the event loop, which hashing 16 MiB would block. */
const sha256 = async (bytes: Uint8Array): Promise<string> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex');

/** The part of an unreadable body that a dead letter keeps. */
const startOfBody = async (bytes: Uint8Array): Promise<Pick<DeadLetterFacts, 'body' | 'size' | 'digest'>> =>
  bytes.length <= deadLetterBodyLimit
    ? { body: bytes }
    : { body: bytes.subarray(0, deadLetterBodyLimit), size: bytes.length, digest: await sha256(bytes) };

/** Joins the pieces up to the size that a dead letter keeps; when they do not fit, adds the size and digest of the body. */
const startOf = async (
  clock: Pick<Clock, 'turn'>,
  pieces: Iterable<string>,
  body: Uint8Array,
): Promise<Pick<DeadLetterFacts, 'body' | 'size' | 'digest'>> => {
  const kept: Uint8Array[] = [];
  let room = deadLetterBodyLimit;
  let count = 0;
  for (const piece of pieces) {
    if (++count % eventsInARow === 0) await clock.turn();
    // Each character takes at least one byte.
    const bytes = Buffer.from(piece.slice(0, room + 1));
    kept.push(bytes.subarray(0, room));
    room -= bytes.length;
    if (room >= 0) continue;
    const size = Math.max(body.length, deadLetterBodyLimit + 1);
    return { body: Buffer.concat(kept), size, digest: await sha256(body) };
  }
  return { body: Buffer.concat(kept) };
};

/**
 * Builds the dead letter of a body, ready to be replayed: the unreadable body itself, or an envelope of the rejected events.
 * @param envelope undefined when the body could not be read
 * @param events the rejected events; the start of a body that is too long keeps the first ones
 */
export const rejectedLetter = async (
  clock: Pick<Clock, 'turn'>,
  { integrationId, receivedAt, bytes, headers }: ReceivedBody,
  rejected: readonly Rejected[],
  envelope: Envelope | undefined,
  events: readonly unknown[],
): Promise<DeadLetterFacts | undefined> => {
  const [first] = rejected;
  if (!first) return undefined;
  const common = { integrationId, receivedAt, headers: headers?.() ?? {} };
  if (!envelope) {
    const kept = await startOfBody(bytes);
    return { ...common, kind: 'webhook_body', reason: first.code, detail: first.reason, ...kept };
  }

  const indexes: Record<string, number[]> = {};
  for (const { index, code } of rejected) (indexes[code] ??= []).push(index ?? 0);
  const causes = Object.entries(indexes).toSorted(([, a], [, b]) => b.length - a.length);
  const [[reason] = ['']] = causes;
  const detail =
    causes.length === 1 && rejected.length === 1
      ? first.reason
      : `${rejected.length} of ${envelope.events.length} events: ${causes.map(([code, { length }]) => `${length} ${code}`).join(', ')}`;
  const kept = await startOf(clock, envelopePieces(events, envelope.version, bytes.length), bytes);
  return { ...common, kind: 'webhook_event', reason, detail, rejected: indexes, ...kept };
};
