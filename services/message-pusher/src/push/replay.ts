import type { OutgoingRecord } from '@ranger-relay/bus';
import { outboundMessageKey, type DeadLetter } from '@ranger-relay/contracts';
import { readRecipients } from '@ranger-relay/device';
import { RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { entryTtlMs, ledgerKey } from '../ledger/entry.ts';
import { replayEntry } from '../ledger/replay-entry.ts';
import { deliveryIdOf } from './delivery-id.ts';
import { readKept } from './kept.ts';

/** What replaying works with. */
export interface ReplayDeps {
  readonly state: KvSpace;
  readonly clock: Pick<Clock, 'now'>;
  /** PUSH_ID_ATTRIBUTE. */
  readonly idAttribute: string;
}

const refuse = (id: string, reason: string): RelayError =>
  new RelayError('dead_letter_not_replayable', { details: { id, reason } });

/** The ledger's entries of its devices may have ended. */
const isForgotten = ({ received_at: at }: Pick<DeadLetter, 'received_at'>, clock: Pick<Clock, 'now'>): boolean =>
  clock.now() - Date.parse(at) > entryTtlMs;

/**
 * Makes a dead letter of kind `push_message` ready to be sent again (device contract, section 7): resets the ledger's entries and answers
 * the records for `outbound-messages`, one for each device that has not been sent the text since. Publishing them twice sends it once.
 * @throws RelayError `dead_letter_not_replayable`, `kv_unavailable`
 */
export const replayPush = async (
  letter: Omit<DeadLetter, 'kind'>,
  { state, clock, idAttribute }: ReplayDeps,
): Promise<OutgoingRecord[]> => {
  const { id, integration_id: integrationId, origin, headers, truncated, bytes } = letter;
  if (truncated) throw refuse(id, `only the start of its ${bytes ?? 'many'} bytes is kept`);
  if (integrationId === null) throw refuse(id, 'it names no integration');
  const kept = readKept(letter);
  if (!kept) throw refuse(id, 'what is kept is no message to devices; it can only be dropped');
  const { data, messageId } = kept;
  const recipients = readRecipients(data.payload) ?? [];
  if (recipients.length === 0) throw refuse(id, 'it names no devices; it can only be dropped');
  const deliveryId = deliveryIdOf({ attributes: kept.attributes, data, messageId, origin }, idAttribute);
  const attributes = { ...kept.attributes, destination_id: integrationId, [idAttribute]: deliveryId };
  const { traceparent } = headers;
  const records: OutgoingRecord[] = [];
  for (const recipient of recipients) {
    const entry = await replayEntry(state, ledgerKey(integrationId, deliveryId, recipient), clock);
    if (entry?.state === 'accepted') continue;
    if (entry === null && recipients.length > 1 && isForgotten(letter, clock))
      throw refuse(id, 'it is no longer known whom of its devices the text has reached; write a new one');
    const one = { ...data, payload: { ...data.payload, Recipients: [recipient] } };
    records.push({
      key: outboundMessageKey(integrationId, recipient),
      value: JSON.stringify({ v: 1, attributes, data: one }),
      ...(traceparent === undefined ? {} : { headers: { traceparent } }),
    });
  }
  if (records.length === 0) throw refuse(id, 'the vendor has taken the text in the meantime');
  return records;
};
