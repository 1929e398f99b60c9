import type { Bus, OutgoingRecord } from '@ranger-relay/bus';
import { sourceEventKey, topics, type DeadLetter } from '@ranger-relay/contracts';
import { createEventMapper, eventBytesLimit, type RejectCode, type WebhookSettings } from '@ranger-relay/device';
import { cleanJson, isRelayError, RelayError } from '@ranger-relay/errors';
import type { Clock, Context, Random } from '@ranger-relay/runtime';
import { noCounts, outcomes, type Counts } from './counts.ts';
import { deadLetterOf, type Refused } from './dead-letter.ts';
import { readEnvelope, type Envelope } from './envelope.ts';
import { publishAll } from './publish.ts';
import { isSos } from './sos.ts';

/** What taking in a body works with. */
export interface IngestParts {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Context['metrics'];
  /** Where SOS events go; their own topic when left out. */
  readonly emergenciesTopic?: string;
}

/** One body of an integration. */
export interface IngestRequest {
  readonly integrationId: string;
  readonly settings: WebhookSettings;
  readonly bytes: Uint8Array;
  /** ms since 1970; for a replay the time of the first receipt. */
  readonly receivedAt: number;
  /** W3C trace context for the records. */
  readonly traceparent?: string;
  /** Headers for dead letters, made when one is written. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** False leaves no dead letters, for a replay of one. */
  readonly keepRefused?: boolean;
}

/** An entry of the `rejected` list of the answer; `index` is null when it is the whole body. */
export interface Rejected {
  readonly index: number | null;
  readonly code: RejectCode | 'invalid_json' | 'not_an_envelope';
  readonly reason: string;
}

/** What became of a body; everything it names is stored. */
export interface IngestResult {
  readonly counts: Counts;
  readonly rejected: readonly Rejected[];
  /** The body itself could not be read. */
  readonly badBody: boolean;
  /** `Version` of the envelope, as it came. */
  readonly version: unknown;
  /** Rejected events whose message code is an SOS. */
  readonly rejectedSos: number;
}

/** All records of a body must be stored within so many milliseconds. */
export const storeWithinMs = 4_000;

const reasonOf = (code: RejectCode): string => new RelayError(code, { details: { limit: eventBytesLimit } }).message;

/** Runs over the events of one body and keeps what is to be stored. */
class Intake {
  readonly counts = noCounts();
  readonly rejected: Rejected[] = [];
  readonly events: OutgoingRecord[] = [];
  readonly emergencies: OutgoingRecord[] = [];
  readonly letters: OutgoingRecord[] = [];
  rejectedSos = 0;
  private readonly parts: IngestParts;
  private readonly request: IngestRequest;
  private readonly recordHeaders: Readonly<Record<string, string>>;
  private letterHeaders: Readonly<Record<string, string>> | undefined;

  constructor(parts: IngestParts, request: IngestRequest) {
    this.parts = parts;
    this.request = request;
    this.recordHeaders = request.traceparent === undefined ? {} : { traceparent: request.traceparent };
  }

  addEvents(events: readonly unknown[]): void {
    const { integrationId, settings, receivedAt, bytes } = this.request;
    const map = createEventMapper({ integrationId, settings, receivedAt, bodyBytes: bytes.length });
    for (const [index, event] of events.entries()) {
      const mapped = map(event);
      if (mapped.kind === 'counted') this.counts[mapped.as] += 1;
      else if (mapped.kind === 'rejected') this.rejectEvent(index, event, mapped.code);
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
    const code = error.code as Rejected['code'];
    this.counts.rejected += 1;
    this.rejected.push({ index: null, code, reason: error.message });
    this.keep({ kind: 'webhook_body', reason: code, detail: error.message, bytes: this.request.bytes });
  }

  private rejectEvent(index: number, event: unknown, code: RejectCode): void {
    const reason = reasonOf(code);
    this.counts.rejected += 1;
    if (isSos(event)) this.rejectedSos += 1;
    this.rejected.push({ index, code, reason });
    this.keep({ kind: 'webhook_event', reason: code, detail: reason, bytes: Buffer.from(JSON.stringify(event)) });
  }

  private keep(refused: Pick<Refused, 'kind' | 'reason' | 'detail' | 'bytes'>): void {
    const { integrationId, receivedAt, headers, keepRefused = true } = this.request;
    if (!keepRefused) return;
    this.letterHeaders ??= headers?.() ?? {};
    const common = { integrationId, receivedAt, headers: this.letterHeaders };
    const letter: DeadLetter = deadLetterOf({ ...refused, ...common }, this.parts);
    this.letters.push({ key: integrationId, value: cleanJson(letter), headers: this.recordHeaders });
  }
}

const read = (bytes: Uint8Array): Envelope | RelayError => {
  try {
    return readEnvelope(bytes);
  } catch (error) {
    if (isRelayError(error, 'invalid_json', 'not_an_envelope')) return error;
    throw error;
  }
};

const measure = (metrics: IngestParts['metrics'], intake: Intake): void => {
  const { counts, letters, rejected } = intake;
  for (const [key, outcome] of outcomes)
    if (counts[key] > 0) metrics.count('relay_webhook_events_total', { outcome }, counts[key]);
  metrics.count('relay_sos_events_total', { outcome: 'stored' }, intake.emergencies.length);
  metrics.count('relay_sos_events_total', { outcome: 'rejected' }, intake.rejectedSos);
  if (letters.length === 0) return;
  for (const { index, code } of rejected)
    metrics.count('relay_dead_letters_total', {
      kind: index === null ? 'webhook_body' : 'webhook_event',
      reason: code,
    });
};

/**
 * Takes in one body: maps each event alone and resolves once every record and every dead letter is durable (device contract, section 2).
 * @throws RelayError `too_many_events`; those of the bus when something is not stored within 4 s, and then all of it may come again
 */
export const ingestBody = async (parts: IngestParts, request: IngestRequest): Promise<IngestResult> => {
  const { bus, clock } = parts;
  const envelope = read(request.bytes);
  const intake = new Intake(parts, request);
  const badBody = envelope instanceof RelayError;
  if (badBody) intake.rejectBody(envelope);
  else intake.addEvents(envelope.events);

  const until = { clock, deadline: clock.monotonic() + storeWithinMs };
  const { emergenciesTopic = topics.emergencies.name } = parts;
  await Promise.all([
    publishAll(bus, emergenciesTopic, intake.emergencies, until),
    publishAll(bus, topics.sourceEvents.name, intake.events, until),
    publishAll(bus, topics.deadLetters.name, intake.letters, until),
  ]);

  const { counts, rejected, rejectedSos } = intake;
  measure(parts.metrics, intake);
  return { counts, rejected, badBody, version: badBody ? undefined : envelope.version, rejectedSos };
};
