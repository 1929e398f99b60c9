import { type DeadLetterKind, deadLetterKindSchema, integrationOfKey } from '@ranger-relay/contracts';
import { createDeadLetters, type DeadLetterFacts, type DeadLetterDependencies } from '../dead-letters.ts';
import type { Bus, BusRecord, DeadLetterDraft } from '../port.ts';
import type { ConsumeSettings, PartitionSource } from './settings.ts';

/** What the bus knows about a record that is given up. */
export interface GivenUpRecord {
  readonly record: BusRecord;
  readonly letter: DeadLetterDraft;
  readonly group: string;
  /** Deliveries, the last one included. */
  readonly attempts: number;
  /** Stands in for a kind that the contract does not know. */
  readonly fallbackKind: DeadLetterKind;
}

/** What the dead letter of a record is made of: its own bytes unless the handler kept others. */
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

/** Gives up records of one partition of a consumer. */
export const createDeadLetterWriter = (
  parts: Omit<DeadLetterDependencies, 'bus'> & Pick<Bus, 'publish'>,
  { group, deadLetterKind: fallbackKind }: ConsumeSettings,
): PartitionSource['deadLetter'] => {
  const deadLetters = createDeadLetters({ ...parts, bus: parts });
  return (record, letter, attempts) =>
    deadLetters.write(factsOf({ record, letter, group, attempts, fallbackKind }), { key: record.key });
};

/** What is said about a record that the handler only throws on. */
export const handlerFailed = (record: BusRecord, kind: string, attempts: number, error: unknown): DeadLetterDraft => ({
  kind,
  integrationId: integrationOfKey(record.key) || null,
  reason: 'handler_failed',
  detail: `the handler failed ${attempts} times: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`,
});
