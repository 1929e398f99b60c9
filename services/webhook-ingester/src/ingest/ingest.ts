import type { Bus, DeadLetterFacts, DeadLetters, OutgoingRecord } from '@ranger-relay/bus';
import { type SosStep, type SourceEvent, sosStepOf, sourceEventKey, topics } from '@ranger-relay/contracts';
import {
  createEventMapper,
  eventBytesLimit,
  type RejectCode,
  sosCodes,
  type WebhookSettings,
} from '@ranger-relay/device';
import { cleanJson, isRelayError, RelayError } from '@ranger-relay/errors';
import { type Clock, type Context, endsWithin } from '@ranger-relay/runtime';
import type { SosLog } from '@ranger-relay/service';
import { type Envelope, type YieldTurn, tryReadEnvelope } from './envelope.ts';
import { eventsInARow, type ReceivedBody, type Rejected, rejectedLetter } from './rejected.ts';

/** As a readable event has them, and as an unreadable one may. */
const emergencyCodes: ReadonlySet<unknown> = new Set(sosCodes.flatMap((code) => [code, String(code)]));

/** Whether the code of an event, readable or not, marks it as an emergency. */
export const isSos = (event: unknown): boolean =>
  typeof event === 'object' && event !== null && 'messageCode' in event && emergencyCodes.has(event.messageCode);

const sosInText = new RegExp(`"messageCode"\\s*:\\s*"?\\s*(?:${sosCodes.join('|')})(?!\\d)`, 'g');
/** Longest part of an unreadable body that is searched, bytes. */
const searchedBytes = 1_048_576;

/** The number of SOS events that can be seen in a body that cannot be read, such as one that was cut off or is UTF-16. */
export const sosInBytes = (bytes: Uint8Array): number => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, searchedBytes)).toString('latin1');
  return text.replaceAll('\0', '').match(sosInText)?.length ?? 0;
};

/** Results of the events of one body, as the activity log and the metrics count them. */
interface Counts {
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
const outcomes: readonly (readonly [keyof Counts, string])[] = [
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
type TakeTooLarge = (record: OutgoingRecord, deadlineMs: number) => Promise<void>;

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
 * @returns the records that `tooLarge` took
 * @throws RelayError of the bus, `deadline_exceeded`; records stored before the failure stay stored
 */
export const publishAll = async (
  bus: Bus,
  topic: string,
  records: readonly OutgoingRecord[],
  { clock, deadline, tooLarge }: PublishUntil,
): Promise<readonly OutgoingRecord[]> => {
  const taken: OutgoingRecord[] = [];
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
      if (chunk.length > 1) {
        for (const record of chunk) await publish([record]);
        return;
      }
      await tooLarge(first, left());
      taken.push(first);
    }
  };
  for (const chunk of chunksOf(records)) await publish(chunk);
  return taken;
};

/** One body of an integration. */
export interface IngestRequest extends ReceivedBody {
  readonly settings: WebhookSettings;
  /** Reference for judging event times, ms since 1970: the latest time that is known to have passed. */
  readonly reference: number;
  /** W3C trace context for the records. */
  readonly traceparent?: string;
  /** For a replay, the dead letter. */
  readonly letter?: SosStep['dead_letter'];
  /** Receives the SOS events of the body before they are stored. */
  readonly onSos?: (events: readonly SourceEvent[]) => void;
}

const reasonOf = (code: RejectCode): string => new RelayError(code, { details: { limit: eventBytesLimit } }).message;

/** Maps the events of one body and collects the records to store. */
class Intake {
  readonly counts = noCounts();
  readonly rejected: Rejected[] = [];
  readonly events: OutgoingRecord[] = [];
  readonly emergencies: OutgoingRecord[] = [];
  /** The events of `emergencies`, in their order. */
  sosEvents: SourceEvent[] = [];
  rejectedSos = 0;
  /** Optional members that could not be read, by name. */
  readonly unread = new Map<string, number>();
  private readonly clock: Pick<Clock, 'turn'>;
  private readonly request: IngestRequest;
  private readonly recordHeaders: Readonly<Record<string, string>>;
  /** The rejected events; events that are too large come last, so that truncation removes them first. */
  private readonly refused: unknown[] = [];
  private readonly refusedLarge: unknown[] = [];
  /** Messages by code: creating one for each event would cost more than reading the event. */
  private readonly reasons = new Map<RejectCode, string>();

  constructor(clock: Pick<Clock, 'turn'>, request: IngestRequest) {
    this.clock = clock;
    this.request = request;
    this.recordHeaders = request.traceparent === undefined ? {} : { traceparent: request.traceparent };
  }

  /** Maps events in order and lets other requests run in between. */
  async addEvents(events: readonly unknown[]): Promise<void> {
    const { integrationId, settings, receivedAt, reference, bytes } = this.request;
    const map = createEventMapper({ integrationId, settings, receivedAt, reference, bodyBytes: bytes.length });
    for (const [index, event] of events.entries()) {
      if (index > 0 && index % eventsInARow === 0) await this.clock.turn();
      const mapped = map(event);
      if (mapped.kind !== 'rejected')
        for (const name of mapped.unread) this.unread.set(name, (this.unread.get(name) ?? 0) + 1);
      if (mapped.kind === 'counted') this.counts[mapped.as] += 1;
      else if (mapped.kind === 'rejected') this.reject(index, event, mapped.code);
      else {
        const { record, skip } = mapped;
        const key = sourceEventKey(integrationId, record.source);
        const records = record.sos ? this.emergencies : this.events;
        if (record.sos) this.sosEvents.push(record);
        records.push({ key, value: cleanJson(record), headers: this.recordHeaders });
        if (record.observation) this.counts.observations += 1;
        if (record.message) this.counts.messages += 1;
        if (skip) this.counts[skip] += 1;
      }
    }
  }

  rejectBody(error: RelayError): void {
    this.counts.rejected += 1;
    this.rejectedSos += sosInBytes(this.request.bytes);
    this.rejected.push({ index: null, code: error.code as Rejected['code'], reason: error.message });
  }

  /** Counts SOS events whose records became dead letters, because they are too large, as rejected and not as stored. */
  rejectTooLarge(records: readonly OutgoingRecord[]): void {
    const tooLarge = new Set(records);
    this.sosEvents = this.sosEvents.filter((_, index) => !tooLarge.has(this.emergencies[index]!));
    this.rejectedSos += records.length;
  }

  /** Builds the dead letter of the body; undefined when nothing was rejected. */
  deadLetter(envelope: Envelope | undefined): Promise<DeadLetterFacts | undefined> {
    return rejectedLetter(this.clock, this.request, this.rejected, envelope, [...this.refused, ...this.refusedLarge]);
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

/** Dependencies of ingesting a body. */
export interface IngestDependencies {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly metrics: Context['metrics'];
  /** Stores rejected events; left out for a replay, which stores none. */
  readonly deadLetters?: DeadLetters;
  readonly sosLog: SosLog;
}

/** Result of ingesting a body; every item that it counts is stored. */
export interface IngestResult {
  readonly counts: Counts;
  readonly rejected: readonly Rejected[];
  /** True when the body itself could not be read. */
  readonly badBody: boolean;
  /** `Version` of the envelope, unchanged. */
  readonly version: unknown;
  /** SOS events in dead letters: rejected, or too large for the bus; in a body that cannot be read, those that can be seen. */
  readonly rejectedSos: number;
}

/** Time limit for storing all records of a body, ms. */
export const storeWithinMs = 4_000;

const neverYield: YieldTurn = () => Promise.resolve();

const measure = (metrics: IngestDependencies['metrics'], { counts, sosEvents, rejectedSos, unread }: Intake): void => {
  for (const [member, count] of unread) metrics.count('relay_webhook_unreadable_members_total', { member }, count);
  for (const [key, outcome] of outcomes)
    if (counts[key] > 0) metrics.count('relay_webhook_events_total', { outcome }, counts[key]);
  metrics.count('relay_sos_events_total', { outcome: 'stored' }, sosEvents.length);
  metrics.count('relay_sos_events_total', { outcome: 'rejected' }, rejectedSos);
};

/**
 * Dead-letters a record that is too large for the broker, so that it does not block the feed; it can be replayed once
 * the broker accepts it.
 */
const keepTooLarge =
  ({ integrationId, receivedAt }: IngestRequest, deadLetters: DeadLetters): TakeTooLarge =>
  async ({ key, value }, deadlineMs) => {
    const body = Buffer.from(value);
    const detail = `the broker refuses a record of ${body.length} bytes`;
    const facts = { kind: 'observation', integrationId, reason: 'record_too_large', detail, receivedAt, body } as const;
    await deadLetters.write(facts, { key, deadlineMs });
  };

/** Logs the SOS events of a body once they are stored; only a replay waits for it. */
const logSos = async (
  { clock, sosLog }: IngestDependencies,
  { letter }: IngestRequest,
  { sosEvents }: Intake,
): Promise<void> => {
  const step = letter ? ({ step: 'replayed', dead_letter: letter } as const) : ({ step: 'stored' } as const);
  const logged = sosLog.write(sosEvents.map((event) => sosStepOf(event, clock.now(), step)));
  if (letter) await endsWithin({ clock, ms: storeWithinMs, ref: true }, logged);
};

const store = async (
  parts: IngestDependencies,
  request: IngestRequest,
  intake: Intake,
  envelope?: Envelope,
): Promise<void> => {
  const { bus, clock, deadLetters } = parts;
  const letter = deadLetters && (await intake.deadLetter(envelope));
  const deadline = clock.monotonic() + storeWithinMs;
  const until = { clock, deadline, ...(deadLetters ? { tooLarge: keepTooLarge(request, deadLetters) } : {}) };
  const recordHeaders = request.traceparent === undefined ? {} : { traceparent: request.traceparent };
  const storeSos = async (): Promise<void> => {
    intake.rejectTooLarge(await publishAll(bus, topics.emergencies.name, intake.emergencies, until));
    await logSos(parts, request, intake);
  };
  await Promise.all([
    storeSos(),
    publishAll(bus, topics.sourceEvents.name, intake.events, until),
    letter && deadLetters.write(letter, { recordHeaders, deadlineMs: storeWithinMs }),
  ]);
};

/**
 * Ingests one body: maps each event separately and resolves once every record and the dead letter are durable (device contract, section 2).
 * @throws RelayError `too_many_events`, `too_many_values`; those of the bus when something is not stored within 4 s:
 * the sender may then repeat the whole body
 */
export const ingestBody = async (
  parts: IngestDependencies,
  request: IngestRequest,
  yieldTurn: YieldTurn = neverYield,
): Promise<IngestResult> => {
  const envelope = await tryReadEnvelope(request.bytes, yieldTurn);
  const badBody = envelope instanceof RelayError;
  const intake = new Intake(parts.clock, request);
  if (badBody) intake.rejectBody(envelope);
  else await intake.addEvents(envelope.events);
  request.onSos?.(intake.sosEvents);
  await store(parts, request, intake, badBody ? undefined : envelope);
  measure(parts.metrics, intake);
  const { counts, rejected, rejectedSos } = intake;
  return { counts, rejected, badBody, version: badBody ? undefined : envelope.version, rejectedSos };
};
