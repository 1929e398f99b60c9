import type { Bus, DeadLetters } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { Clock, Context } from '@ranger-relay/runtime';
import { type Envelope, readEnvelope, type Rest } from './envelope.ts';
import {
  type Counts,
  type IngestRequest,
  Intake,
  outcomes,
  publishAll,
  type Rejected,
  type TakeTooLarge,
} from './intake.ts';

/** Dependencies of ingesting a body. */
export interface IngestDependencies {
  readonly bus: Bus;
  /** Topic of SOS events; the emergencies topic when left out. */
  readonly emergenciesTopic?: string;
  readonly clock: Clock;
  readonly metrics: Context['metrics'];
  /** Stores rejected events; left out for a replay, which stores none. */
  readonly deadLetters?: DeadLetters;
}

/** Result of ingesting a body; every item that it counts is stored. */
export interface IngestResult {
  readonly counts: Counts;
  readonly rejected: readonly Rejected[];
  /** True when the body itself could not be read. */
  readonly badBody: boolean;
  /** `Version` of the envelope, unchanged. */
  readonly version: unknown;
  /** Rejected events whose message code is an SOS. */
  readonly rejectedSos: number;
}

/** Time limit for storing all records of a body, ms. */
export const storeWithinMs = 4_000;

const noRest: Rest = () => Promise.resolve();

const read = async (bytes: Uint8Array, rest: Rest): Promise<Envelope | RelayError> => {
  try {
    return await readEnvelope(bytes, rest);
  } catch (error) {
    if (isRelayError(error, 'invalid_json', 'not_an_envelope')) return error;
    throw error;
  }
};

const measure = (metrics: IngestDependencies['metrics'], { counts, emergencies, rejectedSos }: Intake): void => {
  for (const [key, outcome] of outcomes)
    if (counts[key] > 0) metrics.count('relay_webhook_events_total', { outcome }, counts[key]);
  metrics.count('relay_sos_events_total', { outcome: 'stored' }, emergencies.length);
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

const store = async (
  parts: IngestDependencies,
  request: IngestRequest,
  intake: Intake,
  envelope?: Envelope,
): Promise<void> => {
  const { bus, clock, emergenciesTopic = topics.emergencies.name, deadLetters } = parts;
  const letter = deadLetters && (await intake.deadLetter(envelope));
  const deadline = clock.monotonic() + storeWithinMs;
  const until = { clock, deadline, ...(deadLetters ? { tooLarge: keepTooLarge(request, deadLetters) } : {}) };
  const recordHeaders = request.traceparent === undefined ? {} : { traceparent: request.traceparent };
  await Promise.all([
    publishAll(bus, emergenciesTopic, intake.emergencies, until),
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
  rest: Rest = noRest,
): Promise<IngestResult> => {
  const envelope = await read(request.bytes, rest);
  const badBody = envelope instanceof RelayError;
  const intake = new Intake(request);
  if (badBody) intake.rejectBody(envelope);
  else await intake.addEvents(envelope.events);
  await store(parts, request, intake, badBody ? undefined : envelope);
  measure(parts.metrics, intake);
  const { counts, rejected, rejectedSos } = intake;
  return { counts, rejected, badBody, version: badBody ? undefined : envelope.version, rejectedSos };
};
