import { type DeadLetterKind, deadLetterKindSchema, integrationOfKey } from '@ranger-relay/contracts';
import { isRelayError, type RelayError, toRelayError } from '@ranger-relay/errors';
import { delayFor } from '@ranger-relay/runtime';
import { createDeadLetters, type DeadLetterDependencies, type DeadLetterFacts } from '../dead-letters.ts';
import { apartName, type Delivery, type Settlement } from '../lanes.ts';
import type { Bus, BusRecord, DeadLetterDraft, Outcome } from '../port.ts';
import type { ConsumeSettings, PartitionDependencies, PartitionSource } from './partition.ts';

/** The bus's part of a dead letter. */
export interface GivenUpRecord {
  readonly record: BusRecord;
  readonly letter: DeadLetterDraft;
  readonly group: string;
  /** Number of deliveries, including the last one. */
  readonly attempts: number;
  /** Used when the contract does not know the kind of the letter. */
  readonly fallbackKind: DeadLetterKind;
}

/** The facts of a record's dead letter. The body is that of the handler, or else the value of the record. */
export const factsOf = ({ record, letter, group, attempts, fallbackKind }: GivenUpRecord): DeadLetterFacts => {
  const { integrationId, reason, detail, body } = letter;
  const { data: kind = fallbackKind } = deadLetterKindSchema.safeParse(letter.kind);
  return {
    kind,
    integrationId,
    reason,
    detail,
    body: body ?? record.value,
    receivedAt: record.timestamp,
    attempts,
    origin: record,
    headers: record.headers,
    identity: [group],
  };
};

/** Creates the writer of the dead letters of one partition of a consumer. */
export const createDeadLetterWriter = (
  parts: Omit<DeadLetterDependencies, 'bus'> & Pick<Bus, 'publish'>,
  { group, deadLetterKind: fallbackKind }: ConsumeSettings,
): PartitionSource['deadLetter'] => {
  const deadLetters = createDeadLetters({ ...parts, bus: parts });
  return (record, letter, attempts) =>
    deadLetters.write(factsOf({ record, letter, group, attempts, fallbackKind }), { key: record.key });
};

/** The dead letter of a record on which the handler failed repeatedly. */
export const handlerFailed = (record: BusRecord, kind: string, attempts: number, error: unknown): DeadLetterDraft => ({
  kind,
  integrationId: integrationOfKey(record.key) || null,
  reason: 'handler_failed',
  detail: `the handler failed ${attempts} times: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`,
});

/** A record to dead-letter, by its index in the batch. */
interface PendingDeadLetter {
  readonly index: number;
  readonly letter: DeadLetterDraft;
}

/** The meaning of the outcomes of a batch: records from `finished` on wait. */
interface BatchResult {
  readonly finished: number;
  readonly retryAfterMs: number;
  readonly deadLetters: readonly PendingDeadLetter[];
  /** Indexes of records that wait apart, with the later ones of their keys. */
  readonly apart: readonly number[];
  /** Indexes of records that wait and may have taken effect. */
  readonly maybeSent: readonly number[];
  /** What the commit of a finished record waits for, by its index. */
  readonly after: ReadonlyMap<number, Promise<void>>;
}

/** Longest wait of a lane for one retry, ms. */
const maxRetryMs = 3_600_000;

const wait = (afterMs: unknown): number => {
  if (typeof afterMs !== 'number' || Number.isNaN(afterMs)) throw new TypeError('a retry without a time');
  return Math.min(Math.max(0, afterMs), maxRetryMs);
};

/**
 * Evaluates the outcomes of a batch. Outcomes behind the first `retry` of the lane, or of a key apart, do not count, because the order must stay.
 * @throws TypeError when the handler did not return one known outcome for each record
 */
export const batchResultOf = (
  outcomes: readonly Outcome[],
  { lane, records }: Pick<Delivery<Pick<BusRecord, 'key'>>, 'lane' | 'records'>,
): BatchResult => {
  if (!Array.isArray(outcomes) || outcomes.length !== records.length)
    throw new TypeError(`the handler answered ${outcomes?.length ?? 'no'} outcomes for ${records.length} records`);
  const deadLetters: PendingDeadLetter[] = [];
  const apart = new Map<string, number>();
  const maybeSent = outcomes.flatMap((outcome, index) =>
    outcome?.kind === 'retry' && outcome.maybeSent ? [index] : [],
  );
  const after = new Map<number, Promise<void>>();
  let retryAfterMs = 0;
  for (const [index, outcome] of (outcomes as readonly Outcome[]).entries()) {
    const { key } = records[index] as Pick<BusRecord, 'key'>;
    if (apart.has(key)) continue;
    if (outcome?.kind === 'retry') {
      retryAfterMs = wait(outcome.afterMs);
      if (!outcome.apart || lane === apartName(key))
        return { finished: index, retryAfterMs, deadLetters, apart: [...apart.values()], maybeSent, after };
      apart.set(key, index);
    } else if (outcome?.kind === 'dead') deadLetters.push({ index, letter: outcome.letter });
    else if (outcome?.kind !== 'done') throw new TypeError(`the handler answered an unknown outcome`);
    else if (outcome.after) after.set(index, outcome.after);
  }
  return { finished: records.length, retryAfterMs, deadLetters, apart: [...apart.values()], maybeSent, after };
};

/** End of a delivery: settled, or returned to its lane because the handler threw. */
export type Ending =
  ({ readonly kind: 'settled' } & Settlement & Pick<BatchResult, 'after'>) | { readonly kind: 'given back' };

interface DeliveryDependencies extends PartitionDependencies {
  readonly signal: AbortSignal;
  /** See `Batch`. */
  readonly announce: () => Promise<boolean>;
  /** Whether the handler has called `announce`: what it did before it threw is not known. */
  readonly isAnnounced: () => boolean;
  /** Reports the exception to the lane; true when the single record of the delivery must be dead-lettered. */
  readonly threw: () => boolean;
  /** True once the partition is revoked: this member must not write anything for it. */
  readonly over: () => boolean;
}

/** Wait of a lane whose dead letter could not be stored, ms. */
const deadLetterPauseMs = 1_000;

const settled = (
  finished: number,
  retryAfterMs: number,
  { apart, maybeSent, after }: Pick<BatchResult, 'apart' | 'maybeSent' | 'after'>,
): Ending => ({
  kind: 'settled',
  finished,
  retryAfterMs,
  apart: apart.filter((index) => index < finished),
  maybeSent,
  withheld: [...after.keys()].filter((index) => index < finished),
  after,
});

const handle = async (delivery: Delivery<BusRecord>, parts: DeliveryDependencies): Promise<BatchResult> => {
  const { settings, partition, signal } = parts;
  const outcomes: readonly Outcome[] = await settings.handle({
    topic: settings.topic,
    partition,
    lane: delivery.lane,
    apart: delivery.lane === apartName(delivery.records[0]?.key ?? ''),
    records: delivery.records,
    attempt: delivery.attempts[0] ?? 0,
    maybeSent: delivery.maybeSent,
    announce: parts.announce,
    signal,
  });
  return batchResultOf(outcomes, delivery);
};

/** Writes the dead letters in order; after a failure the lane waits at that record. */
const deadLetter = async (
  delivery: Delivery<BusRecord>,
  result: BatchResult,
  parts: DeliveryDependencies,
): Promise<Ending> => {
  for (const { index, letter } of result.deadLetters) {
    if (parts.over()) return settled(index, 0, result);
    try {
      await parts.source.deadLetter(delivery.records[index] as BusRecord, letter, (delivery.attempts[index] ?? 0) + 1);
    } catch (error) {
      const { topic } = parts.settings;
      const fields = { err: error, topic };
      parts.limitedLog.error(`${topic}.dead-letter`, fields, 'a dead letter could not be stored; retrying');
      return settled(index, deadLetterPauseMs, result);
    }
  }
  return settled(result.finished, result.retryAfterMs, result);
};

/** Whether an unavailable store or topic stopped the handler; the record is not at fault. */
const isElsewhere = (error: unknown): error is RelayError =>
  isRelayError(error) && error.code !== 'internal' && (error.next === 'retry' || error.next === 'alert');

const nothing = { apart: [], maybeSent: [], after: new Map() } as const;

/** None is finished; what the handler did is not known once it has announced the records. */
const waiting = (delivery: Delivery<BusRecord>, { isAnnounced }: DeliveryDependencies, retryAfterMs = 0): Ending =>
  settled(0, retryAfterMs, { ...nothing, maybeSent: isAnnounced() ? [...delivery.records.keys()] : [] });

const waitOf = ({ retryAfterMs }: RelayError, delivery: Delivery<BusRecord>, parts: DeliveryDependencies): Ending =>
  waiting(delivery, parts, retryAfterMs ?? delayFor(parts.rules.throwBackoff, delivery.attempts[0] ?? 0, parts.random));

const afterThrow = async (
  delivery: Delivery<BusRecord>,
  error: unknown,
  parts: DeliveryDependencies,
): Promise<Ending> => {
  const { topic, group, deadLetterKind } = parts.settings;
  if (parts.over() || parts.signal.aborted) return waiting(delivery, parts);
  parts.metrics.count('relay_bus_handler_errors_total', { topic });
  parts.limitedLog.error(
    `${topic}.handler.${toRelayError(error).code}`,
    { err: error, topic, group, partition: parts.partition, records: delivery.records.length },
    isElsewhere(error)
      ? 'a handler is blocked by an unavailable dependency; its records wait'
      : 'a handler failed unexpectedly',
  );
  if (isElsewhere(error)) return waitOf(error, delivery, parts);
  if (!parts.threw()) return { kind: 'given back' };
  const attempts = (delivery.attempts[0] ?? 0) + 1;
  const letter = handlerFailed(delivery.records[0] as BusRecord, deadLetterKind, attempts, error);
  return deadLetter(delivery, { ...nothing, finished: 1, retryAfterMs: 0, deadLetters: [{ index: 0, letter }] }, parts);
};

/** Passes one batch to the handler and evaluates its outcomes, or its exception. */
export const runDelivery = async (delivery: Delivery<BusRecord>, parts: DeliveryDependencies): Promise<Ending> => {
  let result: BatchResult;
  try {
    result = await handle(delivery, parts);
  } catch (error) {
    return afterThrow(delivery, error, parts);
  }
  return deadLetter(delivery, result, parts);
};
