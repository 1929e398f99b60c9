import type { DeadLetter, SourceEvent } from '@ranger-relay/contracts';
import type { BusRecord } from '@ranger-relay/bus';
import type { Clock, Random } from '@ranger-relay/runtime';
import type { Part } from './dedup/tries.ts';

/** Why a part of an event is given up. */
export interface Refusal {
  readonly part: Part;
  readonly code: string;
  readonly detail: string;
  /** How often the record was delivered, this time included. */
  readonly attempts: number;
}

const other: Readonly<Record<Part, Part>> = { observation: 'message', message: 'observation' };

/** The dead letter of one part of an event: its body is the event with that part alone, ready to be published again. */
export const deadLetterOf = (
  record: BusRecord,
  event: SourceEvent,
  refusal: Refusal,
  { clock, random }: { clock: Clock; random: Random },
): DeadLetter => ({
  v: 1,
  id: random.uuid(),
  kind: refusal.part,
  integration_id: event.integration_id,
  reason: refusal.code,
  detail: refusal.detail.slice(0, 500),
  received_at: event.received_at,
  failed_at: new Date(clock.now()).toISOString(),
  attempts: refusal.attempts,
  origin: { topic: record.topic, partition: record.partition, offset: String(record.offset) },
  headers: { ...record.headers },
  body_base64: Buffer.from(JSON.stringify({ ...event, [other[refusal.part]]: null })).toString('base64'),
});
