import { hash } from 'node:crypto';
import type { Bus, DeadLetters, OutgoingRecord } from '@ranger-relay/bus';
import type { DeadLetterKind } from '@ranger-relay/contracts';
import { isRelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import { inBatches } from '../mapping/batches.ts';

/** Dependencies of publishing rows. */
export interface PublishDependencies {
  readonly bus: Pick<Bus, 'publish'>;
  readonly topic: string;
  readonly deadLetters: DeadLetters;
  readonly integrationId: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly signal: AbortSignal;
}

/** Largest number of records in one call of the bus. */
const batchSize = 100;

/**
 * Publishes rows, in their order. A row that the topic does not take for its size becomes a dead letter.
 * @param kind of such a dead letter
 * @param recordsOf makes the records of a batch; `receivedAt` is ISO 8601
 * @throws RelayError of the bus; the reason of the signal
 */
export const publishRows = async <Row>(
  { bus, topic, deadLetters, integrationId, clock, signal }: PublishDependencies,
  kind: DeadLetterKind,
  rows: readonly Row[],
  recordsOf: (batch: readonly Row[], receivedAt: string) => OutgoingRecord[] | Promise<OutgoingRecord[]>,
): Promise<void> => {
  const store = async (records: readonly OutgoingRecord[], receivedAt: string): Promise<void> => {
    signal.throwIfAborted();
    const [record, ...others] = records;
    try {
      await bus.publish(topic, records);
    } catch (error) {
      if (!record || !isRelayError(error, 'record_too_large')) throw error;
      if (others.length > 0) {
        for (const each of records) await store([each], receivedAt);
        return;
      }
      const body = Buffer.from(record.value);
      await deadLetters.write({
        kind,
        integrationId,
        reason: error.code,
        detail: error.message,
        body,
        receivedAt: clock.now(),
        // The next listing reads the row again: the same row is the same letter.
        identity: [record.key, hash('sha256', body.toString().replaceAll(receivedAt, ''))],
      });
    }
  };
  for (const batch of inBatches(rows, batchSize)) {
    const receivedAt = new Date(clock.now()).toISOString();
    await store(await recordsOf(batch, receivedAt), receivedAt);
  }
};
