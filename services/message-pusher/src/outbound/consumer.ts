import {
  type ActionRuntime,
  type BelievedTime,
  type ExecuteOutcome,
  type ExecuteRequest,
  isOlder,
  repeatAfter,
} from '@ranger-relay/actions';
import type { BusRecord, ConsumeOptions, Outcome } from '@ranger-relay/bus';
import {
  canonicalId,
  integrationOfKey,
  type OutboundMessage,
  outboundMessageSchema,
  topics,
} from '@ranger-relay/contracts';
import { isRelayError, jsonOf, RelayError } from '@ranger-relay/errors';
import { type Backoff, type Context, createKeyedMutex, createRateLimitedLog, delayFor } from '@ranger-relay/runtime';
import { z } from 'zod';

/** A text that waits for its turn blocks other records of its partition, so it is retried later after this time, ms. */
const maxWaitMs = 5_000;

/** Options of the `outbound-messages` consumer. */
interface OutboundOptions {
  readonly runtime: Pick<ActionRuntime, 'execute'>;
  readonly context: Pick<Context, 'clock' | 'random' | 'log'>;
  readonly group: string;
  /** The time by which the age of a text is judged. */
  readonly time: BelievedTime;
  /** A text that fails for longer than this is dead-lettered, ms (PUSH_MAX_AGE_H). */
  readonly maxAgeMs: number;
}

const topic = topics.outboundMessages.name;
const backoff: Backoff = { baseMs: 2_000, maxMs: 600_000, jitterMs: 2_000 };

const done: Outcome = { kind: 'done' };

/** The integration that a record is for, according to its content; the producer chooses the key. */
const destinationOf = ({ key }: BusRecord, message?: OutboundMessage): string =>
  message?.attributes['destination_id'] ?? canonicalId(integrationOfKey(key));

/** The dead letter keeps the record unchanged, so that it can be republished. */
const dead = (record: BusRecord, message: OutboundMessage | undefined, reason: string, detail: string): Outcome => ({
  kind: 'dead',
  letter: { kind: 'push_message', integrationId: destinationOf(record, message) || null, reason, detail },
});

/** Result of reading a record's value. */
type Read =
  | { readonly kind: 'message'; readonly message: OutboundMessage }
  /** Written by a newer version and unreadable for this one. */
  | { readonly kind: 'newer'; readonly version: string }
  | { readonly kind: 'unreadable' };

const versionSchema = z.looseObject({ v: z.number().int().min(2) });

const readMessage = ({ value }: BusRecord): Read => {
  const json = jsonOf(value);
  const newer = versionSchema.safeParse(json).data;
  if (newer) return { kind: 'newer', version: String(newer.v) };
  const message = outboundMessageSchema.safeParse(json).data;
  return message ? { kind: 'message', message } : { kind: 'unreadable' };
};

/** Sets no delivery id: the ledger tracks the text per device, and a delivery mark could be stored before a dead letter is. */
const requestOf = (record: BusRecord, message: OutboundMessage, attempt: number): ExecuteRequest => {
  const { attributes, data } = message;
  const { partition, offset, timestamp, headers } = record;
  return {
    integration: { id: destinationOf(record, message) },
    wanted: { model: String(data['event_type']), data, attributes },
    triggeredBy: 'auto',
    attempt: attempt + 1,
    receivedAt: timestamp,
    origin: { topic, partition, offset: String(offset), headers },
    traceparent: headers['traceparent'],
  };
};

/** One delivery of a readable record. */
interface Delivered {
  readonly record: BusRecord;
  readonly message: OutboundMessage;
  readonly attempt: number;
}

const isPutOff = (outcome: ExecuteOutcome): boolean =>
  outcome.kind === 'busy' ||
  (outcome.kind === 'refused' && isRelayError(outcome.error, 'action_stopped', 'delivery_in_flight'));

/** The outcome of a record that a retry cannot help. */
const settled = (record: BusRecord, message: OutboundMessage, outcome: ExecuteOutcome): Outcome => {
  if (outcome.kind === 'refused') return dead(record, message, outcome.error.code, outcome.report.error);
  if (outcome.kind === 'failed' && !outcome.deadLettered)
    return dead(record, message, 'action_failed', outcome.report.error);
  return done;
};

/**
 * Sends texts from their topic (device contract, section 7) as pushed texts are sent. A text that a retry can help waits with growing
 * delays, or as long as the vendor asks, and is dead-lettered when it is too old. Each device is a lane that waits alone; the vendor
 * accepts one call of an integration at a time, so one run per integration is active at a time.
 */
export const outboundConsumer = ({ runtime, context, group, time, maxAgeMs }: OutboundOptions): ConsumeOptions => {
  const { clock, random } = context;
  /** What waits here occupies no run and holds no message. */
  const turns = createKeyedMutex(clock);
  const limitedLog = createRateLimitedLog(context);

  const again = ({ record, message, attempt }: Delivered, outcome: ExecuteOutcome, waitMs: number): Outcome => {
    // A deferred text has not failed: its delay does not grow, and it never expires.
    if (isPutOff(outcome)) return { kind: 'retry', afterMs: waitMs + delayFor(backoff, 0, random) };
    if (!isOlder(record.timestamp, maxAgeMs, time))
      return { kind: 'retry', afterMs: Math.max(waitMs, delayFor(backoff, attempt, random)) };
    const reason = 'report' in outcome ? outcome.report.error : '';
    const { code, message: detail } = new RelayError('push_expired', {
      details: { hours: maxAgeMs / 3_600_000, reason },
    });
    return dead(record, message, code, detail);
  };

  /** A text of a newer version waits for that version until the maximum age; replaying its dead letter needs that version too. */
  const waitForVersion = (record: BusRecord, attempt: number, version: string): Outcome => {
    const error = new RelayError('record_newer', { details: { topic, version } });
    limitedLog.error('newer', { offset: String(record.offset), err: error }, 'a text waits for a newer version');
    if (!isOlder(record.timestamp, maxAgeMs, time))
      return { kind: 'retry', afterMs: delayFor(backoff, attempt, random) };
    return dead(record, undefined, error.code, error.message);
  };

  const runOne = async (record: BusRecord, attempt: number, signal: AbortSignal): Promise<Outcome> => {
    const read = readMessage(record);
    if (read.kind === 'newer') return waitForVersion(record, attempt, read.version);
    if (read.kind === 'unreadable') {
      limitedLog.warn('unreadable', { topic, offset: String(record.offset) }, 'an outbound message could not be read');
      return dead(record, undefined, 'record_unreadable', 'It is not a message to devices');
    }
    const { message } = read;
    const run = (): Promise<ExecuteOutcome> => runtime.execute(requestOf(record, message, attempt));
    const outcome = await turns.take(destinationOf(record, message), maxWaitMs, run, signal);
    if (!outcome) return { kind: 'retry', afterMs: signal.aborted ? 0 : delayFor(backoff, 0, random) };
    const waitMs = repeatAfter(outcome);
    return waitMs === undefined
      ? settled(record, message, outcome)
      : again({ record, message, attempt }, outcome, waitMs);
  };

  return {
    topic,
    group,
    lane: 'key',
    maxBatch: 1,
    deadLetterKind: 'push_message',
    async handle({ records, attempt, signal }) {
      const outcomes: Outcome[] = [];
      for (const [index, record] of records.entries())
        outcomes.push(await runOne(record, index === 0 ? attempt : 0, signal));
      return outcomes;
    },
  };
};
