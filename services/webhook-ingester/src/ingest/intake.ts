import { setImmediate } from 'node:timers/promises';
import type { Bus, DeadLetterFacts, OutgoingRecord } from '@ranger-relay/bus';
import { deadLetterBodyLimit, sourceEventKey } from '@ranger-relay/contracts';
import { createEventMapper, eventBytesLimit, type RejectCode, type WebhookSettings } from '@ranger-relay/device';
import { cleanJson, isRelayError, RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import { type Envelope, envelopePieces } from './envelope.ts';

const sosCodes: ReadonlySet<unknown> = new Set([4, 6, 7, '4', '6', '7']);

/** Whether the code of an event, readable or not, marks it as an emergency. */
export const isSos = (event: unknown): boolean =>
  typeof event === 'object' && event !== null && 'messageCode' in event && sosCodes.has(event.messageCode);

/** Results of the events of one body, as the activity log and the metrics count them. */
export interface Counts {
  observations: number;
  messages: number;
  skipped_no_fix: number;
  skipped_no_time: number;
  test_events: number;
  not_wanted: number;
  rejected: number;
}

/** Returns counts of zero. */
const noCounts = (): Counts => ({
  observations: 0,
  messages: 0,
  skipped_no_fix: 0,
  skipped_no_time: 0,
  test_events: 0,
  not_wanted: 0,
  rejected: 0,
});

/** Values of the label `outcome` of `relay_webhook_events_total`. */
export const outcomes: readonly (readonly [keyof Counts, string])[] = [
  ['observations', 'observation'],
  ['messages', 'message'],
  ['skipped_no_fix', 'skipped_no_fix'],
  ['skipped_no_time', 'skipped_no_time'],
  ['test_events', 'test_events'],
  ['not_wanted', 'counted'],
  ['rejected', 'rejected'],
];

/** Maximum bytes of values in one call of the bus. */
export const chunkBytes = 512_000;

/** Splits records into chunks of at most `limit` bytes of values, in order; a larger record forms its own chunk. */
export const chunksOf = (records: readonly OutgoingRecord[], limit = chunkBytes): OutgoingRecord[][] => {
  const chunks: OutgoingRecord[][] = [];
  let size = Infinity;
  for (const record of records) {
    const bytes = Buffer.byteLength(record.value);
    if (size + bytes > limit) {
      chunks.push([]);
      size = 0;
    }
    chunks.at(-1)?.push(record);
    size += bytes;
  }
  return chunks;
};

/** Stores a record that is too large for its topic; rejects when it cannot be stored. */
export type TakeTooLarge = (record: OutgoingRecord, deadlineMs: number) => Promise<void>;

/** Deadline for storing all records. */
interface PublishUntil {
  readonly clock: Clock;
  /** Deadline in the clock's monotonic time. */
  readonly deadline: number;
  /** When left out, a record that is too large fails the call. */
  readonly tooLarge?: TakeTooLarge;
}

/**
 * Stores all records of a topic, chunk by chunk, so that records of one key keep their order.
 * @throws RelayError of the bus, `deadline_exceeded`; records stored before the failure stay stored
 */
export const publishAll = async (
  bus: Bus,
  topic: string,
  records: readonly OutgoingRecord[],
  { clock, deadline, tooLarge }: PublishUntil,
): Promise<void> => {
  const left = (): number => {
    const deadlineMs = Math.floor(deadline - clock.monotonic());
    if (deadlineMs <= 0) throw new RelayError('deadline_exceeded', { details: { what: 'storing the events', ms: 0 } });
    return deadlineMs;
  };
  const publish = async (chunk: readonly OutgoingRecord[]): Promise<void> => {
    try {
      await bus.publish(topic, chunk, { deadlineMs: left() });
    } catch (error) {
      const [first] = chunk;
      if (!first || !tooLarge || !isRelayError(error, 'record_too_large')) throw error;
      if (chunk.length === 1) await tooLarge(first, left());
      else for (const record of chunk) await publish([record]);
    }
  };
  for (const chunk of chunksOf(records)) await publish(chunk);
};

/** One body of an integration. */
export interface IngestRequest {
  readonly integrationId: string;
  readonly settings: WebhookSettings;
  readonly bytes: Uint8Array;
  /** ms since 1970; for a replay, the time of the first receipt. */
  readonly receivedAt: number;
  /** Reference for judging event times, ms since 1970: the latest time that is known to have passed. */
  readonly reference: number;
  /** W3C trace context for the records. */
  readonly traceparent?: string;
  /** Headers for dead letters, requested only when one is written. */
  readonly headers?: () => DeadLetterFacts['headers'];
}

/** An entry of the answer's `rejected` list; `index` is null for the whole body. */
export interface Rejected {
  readonly index: number | null;
  readonly code: RejectCode | 'invalid_json' | 'not_an_envelope';
  readonly reason: string;
}

const reasonOf = (code: RejectCode): string => new RelayError(code, { details: { limit: eventBytesLimit } }).message;

/** Number of events mapped without a pause; they occupy the event loop for a few milliseconds. */
const eventsInARow = 100;

/** Hashes outside the event loop, which hashing 16 MiB would block. */
const sha256 = async (bytes: Uint8Array): Promise<string> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex');

/** The part of an unreadable body that a dead letter keeps. */
const startOfBody = async (bytes: Uint8Array): Promise<Pick<DeadLetterFacts, 'body' | 'size' | 'digest'>> =>
  bytes.length <= deadLetterBodyLimit
    ? { body: bytes }
    : { body: bytes.subarray(0, deadLetterBodyLimit), size: bytes.length, digest: await sha256(bytes) };

/** The pieces up to the size that a dead letter keeps; when they do not all fit, with size and digest of the body they come from. */
const startOf = async (
  pieces: Iterable<string>,
  body: Uint8Array,
): Promise<Pick<DeadLetterFacts, 'body' | 'size' | 'digest'>> => {
  const kept: Uint8Array[] = [];
  let room = deadLetterBodyLimit;
  let count = 0;
  for (const piece of pieces) {
    if (++count % eventsInARow === 0) await setImmediate();
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

/** Maps the events of one body and collects the records to store. */
export class Intake {
  readonly counts = noCounts();
  readonly rejected: Rejected[] = [];
  readonly events: OutgoingRecord[] = [];
  readonly emergencies: OutgoingRecord[] = [];
  rejectedSos = 0;
  private readonly request: IngestRequest;
  private readonly recordHeaders: Readonly<Record<string, string>>;
  /** The rejected events; events that are too large come last, so that truncation removes them first. */
  private readonly refused: unknown[] = [];
  private readonly refusedLarge: unknown[] = [];
  /** Messages by code: creating one for each event would cost more than reading the event. */
  private readonly reasons = new Map<RejectCode, string>();

  constructor(request: IngestRequest) {
    this.request = request;
    this.recordHeaders = request.traceparent === undefined ? {} : { traceparent: request.traceparent };
  }

  /** Maps events in order and lets other requests run in between. */
  async addEvents(events: readonly unknown[]): Promise<void> {
    const { integrationId, settings, receivedAt, reference, bytes } = this.request;
    const map = createEventMapper({ integrationId, settings, receivedAt, reference, bodyBytes: bytes.length });
    for (const [index, event] of events.entries()) {
      if (index > 0 && index % eventsInARow === 0) await setImmediate();
      const mapped = map(event);
      if (mapped.kind === 'counted') this.counts[mapped.as] += 1;
      else if (mapped.kind === 'rejected') this.reject(index, event, mapped.code);
      else {
        const { record, skip } = mapped;
        const key = sourceEventKey(integrationId, record.source);
        const records = record.sos ? this.emergencies : this.events;
        records.push({ key, value: cleanJson(record), headers: this.recordHeaders });
        if (record.observation) this.counts.observations += 1;
        if (record.message) this.counts.messages += 1;
        if (skip) this.counts[skip] += 1;
      }
    }
  }

  rejectBody(error: RelayError): void {
    this.counts.rejected += 1;
    this.rejected.push({ index: null, code: error.code as Rejected['code'], reason: error.message });
  }

  /** Builds the dead letter of the body; undefined when nothing was rejected. */
  async deadLetter(envelope: Envelope | undefined): Promise<DeadLetterFacts | undefined> {
    const [first] = this.rejected;
    if (!first) return undefined;
    const { integrationId, receivedAt, bytes, headers } = this.request;
    const common = { integrationId, receivedAt, headers: headers?.() ?? {} };
    if (!envelope) {
      const kept = await startOfBody(bytes);
      return { ...common, kind: 'webhook_body', reason: first.code, detail: first.reason, ...kept };
    }

    const rejected: Record<string, number[]> = {};
    for (const { index, code } of this.rejected) (rejected[code] ??= []).push(index ?? 0);
    const causes = Object.entries(rejected).toSorted(([, a], [, b]) => b.length - a.length);
    const [[reason] = ['']] = causes;
    const detail =
      causes.length === 1 && this.rejected.length === 1
        ? first.reason
        : `${this.rejected.length} of ${envelope.events.length} events: ${causes.map(([code, { length }]) => `${length} ${code}`).join(', ')}`;
    const refused = [...this.refused, ...this.refusedLarge];
    const kept = await startOf(envelopePieces(refused, envelope.version, bytes.length), bytes);
    return { ...common, kind: 'webhook_event', reason, detail, rejected, ...kept };
  }

  private reject(index: number, event: unknown, code: RejectCode): void {
    this.counts.rejected += 1;
    if (isSos(event)) this.rejectedSos += 1;
    const reason = this.reasons.get(code) ?? reasonOf(code);
    this.reasons.set(code, reason);
    this.rejected.push({ index, code, reason });
    (code === 'event_too_large' ? this.refusedLarge : this.refused).push(event);
  }
}
