import { Buffer } from 'node:buffer';
import type { OutgoingRecord } from '@ranger-relay/bus';
import {
  type DeadLetter,
  outboundMessageKey,
  outboundMessageSchema,
  pushEnvelopeSchema,
  pushMessageOf,
} from '@ranger-relay/contracts';
import { readRecipients } from '@ranger-relay/device';
import { jsonOf, RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { z } from 'zod';
import { entryTtlMs, type LedgerEntry, ledgerKey, readEntry } from '../ledger/entry.ts';
import { replace } from '../ledger/ledger.ts';
import { replayed } from '../ledger/transitions.ts';
import { deliveryIdOf } from './read-push.ts';

const maxTries = 5;

/**
 * Resets the entry of a failed text so that it can be sent again. Returns the resulting entry; null when there is none.
 * @throws RelayError `kv_unavailable`
 */
export const replayEntry = async (
  state: KvSpace,
  key: string,
  clock: Pick<Clock, 'now'>,
): Promise<LedgerEntry | null> => {
  for (let attempt = 0; attempt < maxTries; attempt += 1) {
    const text = await state.get(key);
    const entry = readEntry(text);
    if (entry === null) return null;
    const next = replayed(entry, clock.now());
    if (next === entry) return entry;
    if (await replace(state, key, text, JSON.stringify(next))) return next;
  }
  return readEntry(await state.get(key));
};

const dataSchema = z.looseObject({ payload: z.looseObject({}) });

const json = (base64: string): unknown => jsonOf(Buffer.from(base64, 'base64'));

/**
 * A dead letter contains the envelope that was refused before the action ran, or a record of `outbound-messages`, whose message id is null.
 */
const opened = (body: unknown) => {
  const record = outboundMessageSchema.safeParse(body).data;
  if (record) return { attributes: record.attributes, data: record.data, messageId: null };
  const envelope = pushEnvelopeSchema.safeParse(body).data;
  if (!envelope) return undefined;
  const { attributes, data, messageId = null } = pushMessageOf(envelope);
  return { attributes: { ...attributes }, data: json(data), messageId };
};

/** Reads the push of a dead letter of kind `push_message`; undefined when it is not a message to devices. */
const readKept = ({ body_base64: body }: Pick<DeadLetter, 'body_base64'>) => {
  const push = opened(json(body));
  const data = dataSchema.safeParse(push?.data).data;
  return push && data ? { ...push, data } : undefined;
};

/** Dependencies of a replay. */
export interface ReplayDeps {
  readonly state: KvSpace;
  readonly clock: Pick<Clock, 'now'>;
  /** PUSH_ID_ATTRIBUTE. */
  readonly idAttribute: string;
}

const refuse = (id: string, reason: string): RelayError =>
  new RelayError('dead_letter_not_replayable', { details: { id, reason } });

/** A record that sends a text again, and the ledger's key that tells what becomes of it. */
export interface ReplayedText {
  readonly record: OutgoingRecord;
  readonly entryKey: string;
}

/** Whether the ledger's entries of the letter's devices may have expired. */
const isForgotten = ({ received_at: at }: Pick<DeadLetter, 'received_at'>, clock: Pick<Clock, 'now'>): boolean =>
  clock.now() - Date.parse(at) > entryTtlMs;

/**
 * Prepares a dead letter of kind `push_message` for sending again (device contract, section 7): resets the ledger's entries and returns the
 * records for `outbound-messages`, one for each device that has not received the text since. Publishing them twice sends the text once.
 * @throws RelayError `dead_letter_not_replayable`, `kv_unavailable`
 */
export const replayPush = async (
  letter: Omit<DeadLetter, 'kind'>,
  { state, clock, idAttribute }: ReplayDeps,
): Promise<ReplayedText[]> => {
  const { id, integration_id: integrationId, origin, headers, truncated, bytes } = letter;
  if (truncated) throw refuse(id, `only the start of its ${bytes ?? 'many'} bytes is kept`);
  if (integrationId === null) throw refuse(id, 'it names no integration');
  const kept = readKept(letter);
  if (!kept) throw refuse(id, 'the stored bytes are not a message to devices; it can only be dropped');
  const { data, messageId } = kept;
  const recipients = readRecipients(data.payload) ?? [];
  if (recipients.length === 0) throw refuse(id, 'it names no devices; it can only be dropped');
  const deliveryId = deliveryIdOf({ attributes: kept.attributes, data, messageId, origin }, idAttribute);
  const attributes = { ...kept.attributes, destination_id: integrationId, [idAttribute]: deliveryId };
  const { traceparent } = headers;
  const texts: ReplayedText[] = [];
  for (const recipient of recipients) {
    const entryKey = ledgerKey(integrationId, deliveryId, recipient);
    const entry = await replayEntry(state, entryKey, clock);
    if (entry?.state === 'accepted') continue;
    if (entry === null && recipients.length > 1 && isForgotten(letter, clock))
      throw refuse(id, 'it is no longer known which of its devices received the text; write a new text');
    const one = { ...data, payload: { ...data.payload, Recipients: [recipient] } };
    const record = {
      key: outboundMessageKey(integrationId, recipient),
      value: JSON.stringify({ v: 1, attributes, data: one }),
      headers: traceparent === undefined ? {} : { traceparent },
    };
    texts.push({ record, entryKey });
  }
  if (texts.length === 0) throw refuse(id, 'the vendor has accepted the text in the meantime');
  return texts;
};
