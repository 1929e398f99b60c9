import type { Bus } from '@ranger-relay/bus';
import { readSettings } from '@ranger-relay/device';
import { RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { Context } from '@ranger-relay/runtime';
import { envelopeOf, ingestBody, type IngestResult, type Rejected } from '@ranger-relay/webhook-ingester';
import { z } from 'zod';
import type { StoredLetter } from '@ranger-relay/service';

/** What a webhook letter is taken in with again. */
export interface WebhookReplayParts extends Pick<Context, 'clock' | 'random' | 'metrics'> {
  readonly bus: Bus;
  /** The configuration cache. */
  readonly config: KvSpace;
}

const cachedSchema = z.object({ value: z.unknown() });

const parseCached = (text: string): unknown => {
  try {
    return cachedSchema.safeParse(JSON.parse(text)).data?.value;
  } catch {
    return undefined;
  }
};

/** Settings from the configuration cache, however old: the last known ones; without them the defaults. */
const settingsOf = async (config: KvSpace, integrationId: string): Promise<unknown> =>
  parseCached((await config.get(`integrationconfig.${integrationId}.webhook`)) ?? '');

const refuse = (id: string, reason: string): RelayError =>
  new RelayError('dead_letter_not_replayable', { details: { id, reason } });

const bodyOf = (letter: StoredLetter): Uint8Array => {
  const kept = Buffer.from(letter.body_base64, 'base64');
  // Letters of earlier versions hold one event each, without an envelope.
  return letter.kind === 'webhook_event' && !letter.rejected ? envelopeOf(kept) : kept;
};

const stillRefused = (id: string, [first, ...more]: readonly Rejected[], stored: boolean): RelayError => {
  const others = more.length > 0 ? ` and ${more.length} more` : '';
  const good = stored ? '; what is good of it was stored' : '';
  return refuse(id, `it is refused still (${first?.code ?? ''}: ${first?.reason ?? ''}${others})${good}`);
};

/** Totals of what was stored. */
type Stored = Pick<IngestResult['counts'], 'observations' | 'messages'>;

/**
 * Takes a stored webhook body or event in again, as received when it first came. What is good now is stored; deduplication absorbs what
 * was stored before.
 * @throws RelayError `dead_letter_not_replayable` when anything of it is refused still, and those of bus and store
 */
export const replayWebhookLetter = async (letter: StoredLetter, parts: WebhookReplayParts): Promise<Stored> => {
  const { id, integration_id: integrationId, received_at: receivedAt, headers } = letter;
  if (letter.truncated) throw refuse(id, `only the start of its ${letter.bytes ?? 'many'} bytes is kept`);
  if (integrationId === null) throw refuse(id, 'it names no integration');
  const { settings } = readSettings(await settingsOf(parts.config, integrationId));
  const { counts, rejected } = await ingestBody(parts, {
    integrationId,
    settings,
    bytes: bodyOf(letter),
    receivedAt: Date.parse(receivedAt),
    // A clock that was behind then must not refuse the event once more.
    reference: Math.max(Date.parse(receivedAt), parts.clock.now()),
    ...(headers['traceparent'] === undefined ? {} : { traceparent: headers['traceparent'] }),
  });
  if (rejected.length > 0) throw stillRefused(id, rejected, counts.observations + counts.messages > 0);
  return { observations: counts.observations, messages: counts.messages };
};
