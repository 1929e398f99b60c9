import type { OutgoingRecord } from '@ranger-relay/bus';
import type { DeadLetter } from '@ranger-relay/contracts';
import { readRecipients } from '@ranger-relay/device';
import { RelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import { ledgerKey } from '../ledger/entry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { deliveryIdOf } from './delivery-id.ts';

/** What replaying works with. */
export interface ReplayDeps {
  readonly ledger: Pick<Ledger, 'replay'>;
  readonly idAttribute: string;
}

const recordSchema = z.object({
  attributes: z.record(z.string(), z.string()),
  data: z.looseObject({ payload: z.looseObject({}) }),
});

const refuse = (id: string, reason: string): RelayError =>
  new RelayError('dead_letter_not_replayable', { details: { id, reason } });

const contentOf = ({ id, body_base64: body }: DeadLetter): z.infer<typeof recordSchema> => {
  try {
    return recordSchema.parse(JSON.parse(Buffer.from(body, 'base64').toString()));
  } catch {
    throw refuse(id, 'what is kept is no message to devices; it can only be dropped');
  }
};

/**
 * Makes a dead letter of kind `push_message` ready to be sent again (device contract, section 7): resets the ledger's entries and answers
 * the records for `outbound-messages`, one for each device that has not been sent the text since. Publishing them twice sends it once.
 * @throws RelayError `dead_letter_not_replayable`, `kv_unavailable`
 */
export const replayPush = async (
  letter: DeadLetter,
  { ledger, idAttribute }: ReplayDeps,
): Promise<OutgoingRecord[]> => {
  const { attributes, data } = contentOf(letter);
  const recipients = readRecipients(data.payload) ?? [];
  if (recipients.length === 0) throw refuse(letter.id, 'it names no devices; it can only be dropped');
  const integrationId = letter.integration_id ?? '';
  const known = { attributes, data, messageId: null, origin: letter.origin };
  const deliveryId = deliveryIdOf(known, idAttribute);
  const traceparent = letter.headers['traceparent'];
  const records: OutgoingRecord[] = [];
  for (const recipient of recipients) {
    const entry = await ledger.replay(ledgerKey(deliveryId, recipient));
    if (entry?.state === 'accepted') continue;
    const one = { ...data, payload: { ...data.payload, Recipients: [recipient] } };
    records.push({
      key: `${integrationId}:${recipient}`,
      value: JSON.stringify({ v: 1, attributes, data: one }),
      ...(traceparent === undefined ? {} : { headers: { traceparent } }),
    });
  }
  if (records.length === 0) throw refuse(letter.id, 'the vendor has taken the text in the meantime');
  return records;
};
