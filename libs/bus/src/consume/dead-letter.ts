import { createHash } from 'node:crypto';
import {
  deadLetterBodyLimit,
  deadLetterKindSchema,
  integrationOfKey,
  type DeadLetter,
  type DeadLetterKind,
} from '@ranger-relay/contracts';
import { redact } from '@ranger-relay/runtime';
import type { BusRecord, DeadLetterDraft } from '../port.ts';

/** What the bus knows about a record that is given up. */
export interface Burying {
  readonly record: BusRecord;
  readonly letter: DeadLetterDraft;
  readonly group: string;
  /** Deliveries, the last one included. */
  readonly attempts: number;
  /** ms since 1970. */
  readonly now: number;
  /** Stands in for a kind that the contract does not know. */
  readonly fallbackKind: DeadLetterKind;
}

const maxDetail = 1_000;

/** One id for one record and group, so that a burial repeated after a crash can be told from a second one. */
const letterId = ({ topic, partition, offset }: BusRecord, group: string): string => {
  const hex = createHash('sha256')
    .update(JSON.stringify([topic, partition, String(offset), group]))
    .digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
};

const bodyOf = (body: Uint8Array): Pick<DeadLetter, 'body_base64' | 'bytes' | 'sha256' | 'truncated'> => {
  const kept = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, deadLetterBodyLimit));
  const body_base64 = kept.toString('base64');
  if (body.byteLength <= deadLetterBodyLimit) return { body_base64 };
  return {
    body_base64,
    bytes: body.byteLength,
    sha256: createHash('sha256').update(body).digest('hex'),
    truncated: true,
  };
};

/** The dead letter of a record (contracts, dead letters): original bytes, where from, why, how often tried; secrets masked. */
export const deadLetterOf = ({ record, letter, group, attempts, now, fallbackKind }: Burying): DeadLetter => {
  const kind = deadLetterKindSchema.safeParse(letter.kind);
  return {
    v: 1,
    id: letterId(record, group),
    kind: kind.success ? kind.data : fallbackKind,
    integration_id: letter.integrationId,
    reason: letter.reason,
    detail: letter.detail.slice(0, maxDetail),
    received_at: new Date(record.timestamp).toISOString(),
    failed_at: new Date(now).toISOString(),
    attempts,
    origin: { topic: record.topic, partition: record.partition, offset: String(record.offset) },
    headers: redact({ ...record.headers }),
    ...bodyOf(letter.body ?? record.value),
  };
};

/** What is said about a record that the handler only throws on. */
export const handlerFailed = (record: BusRecord, kind: string, attempts: number, error: unknown): DeadLetterDraft => ({
  kind,
  integrationId: integrationOfKey(record.key) || null,
  reason: 'handler_failed',
  detail: `the handler failed ${attempts} times: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`,
});
