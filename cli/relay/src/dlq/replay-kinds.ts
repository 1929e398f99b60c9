import { hash } from 'node:crypto';
import { type Bus, type OutgoingRecord, replayHeaders } from '@ranger-relay/bus';
import {
  maybeSentHeader,
  partsOf,
  siteEventKey,
  siteEventSchema,
  type SourceEvent,
  sourceEventKey,
  sourceEventSchema,
} from '@ranger-relay/contracts';
import { readSettings } from '@ranger-relay/device';
import { cleanJson, jsonOf, parseExactJson, RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import { configKey, decodeEntry, webhookSettingsOf } from '@ranger-relay/platform';
import type { Context } from '@ranger-relay/runtime';
import type { SosLog, StoredLetter } from '@ranger-relay/service';
import { ingestBody, type IngestResult, type Rejected } from '@ranger-relay/webhook-ingester';

/** A letter that cannot be sent again. */
export const refuse = (id: string, reason: string): RelayError =>
  new RelayError('dead_letter_not_replayable', { details: { id, reason } });

/**
 * The event that a letter of a refused observation or message keeps.
 * @throws RelayError `dead_letter_not_replayable`
 */
export const eventOf = (letter: StoredLetter): SourceEvent => {
  if (letter.reason === 'record_unreadable')
    throw refuse(letter.id, 'its record was unreadable, so it cannot be sent; it can only be dropped');
  try {
    const parsed = sourceEventSchema.safeParse(
      parseExactJson(Buffer.from(letter.body_base64, 'base64').toString('utf8')),
    );
    if (parsed.success) return parsed.data;
  } catch {
    // Not JSON: refused like any other body that is not an event.
  }
  throw refuse(letter.id, 'the stored bytes are not an event that this version reads; it can only be dropped');
};

/**
 * A refused part is sent as a new event: by the original id it would count as already sent. The id is the same each time, so a replay that
 * is repeated after a crash reaches the platform once.
 */
const replayId = (eventId: string, { id, attempts }: StoredLetter): string =>
  hash('sha256', `${eventId}:replay:${id}:${attempts}`, 'hex');

/** Whether a refusal of the event is one dead letter again, and not one for each part. */
const isOneLetter = (event: SourceEvent): boolean => partsOf(event).length === 1;

/** The event of a letter as it is sent again. An event on which the handler failed keeps its id, by which its accepted parts are known. */
export const replayedEvent = (letter: StoredLetter, event: SourceEvent): SourceEvent => {
  if (letter.reason === 'handler_failed') return event;
  const { event_id: id, replay_of: original = id } = event;
  return { ...event, event_id: replayId(original, letter), replay_of: original };
};

/** The record that sends it, with the key that the event had. */
export const eventRecordOf = (letter: StoredLetter, event: SourceEvent): OutgoingRecord => {
  const { traceparent, [maybeSentHeader]: maybeSent } = letter.headers;
  return {
    key: sourceEventKey(event.integration_id, event.source),
    value: cleanJson(event),
    headers: {
      ...(traceparent === undefined ? {} : { traceparent }),
      // Of an event on which the handler failed nobody knows what was sent.
      ...(maybeSent === undefined && letter.reason !== 'handler_failed' ? {} : { [maybeSentHeader]: 'yes' }),
      ...(isOneLetter(event) ? replayHeaders(letter) : {}),
    },
  };
};

/**
 * The record of `site-events` that sends the rest of an event of a site again: by its headers it is a replay, so that it counts although its
 * version was handled.
 * @throws RelayError `dead_letter_not_replayable`
 */
export const replaySiteEvent = (letter: StoredLetter): OutgoingRecord => {
  const value = Buffer.from(letter.body_base64, 'base64');
  // For the key alone: the bytes are sent as they are.
  const { data } = siteEventSchema.safeParse(letter.truncated ? null : jsonOf(value));
  if (data) return { key: siteEventKey(data), value, headers: replayHeaders(letter) };
  throw refuse(letter.id, 'the stored bytes are not an event of a site; it can only be dropped');
};

/** Dependencies of ingesting a webhook letter again. */
interface WebhookReplayDependencies extends Pick<Context, 'clock' | 'random' | 'metrics'> {
  readonly bus: Bus;
  readonly sosLog: SosLog;
  /** The configuration cache. */
  readonly config: KvSpace;
}

/** Settings from the configuration cache, however old: the last known ones; without them the defaults. */
const settingsOf = async (config: KvSpace, integrationId: string): Promise<unknown> =>
  webhookSettingsOf(decodeEntry(await config.get(configKey.webhook(integrationId)))?.value);

const stillRefused = (id: string, [first, ...more]: readonly Rejected[], stored: boolean): RelayError => {
  const others = more.length > 0 ? ` and ${more.length} more` : '';
  const good = stored ? '; its valid events were stored' : '';
  return refuse(id, `it is still refused (${first?.code ?? ''}: ${first?.reason ?? ''}${others})${good}`);
};

/** Totals of stored items, and their events. */
interface Ingested {
  readonly stored: Pick<IngestResult['counts'], 'observations' | 'messages'>;
  readonly events: readonly SourceEvent[];
}

/**
 * Ingests a stored webhook body or event again, with its first time of receipt. Valid events are stored; deduplication drops those that were
 * stored before.
 * @throws RelayError `dead_letter_not_replayable` when any of it is still refused, and those of bus and store
 */
export const replayWebhookLetter = async (
  letter: StoredLetter,
  parts: WebhookReplayDependencies,
): Promise<Ingested> => {
  const { id, integration_id: integrationId, received_at: receivedAt, headers } = letter;
  if (letter.truncated) throw refuse(id, `only the start of its ${letter.bytes ?? 'many'} bytes is stored`);
  if (integrationId === null) throw refuse(id, 'it names no integration');
  const { settings } = readSettings(await settingsOf(parts.config, integrationId));
  const events: SourceEvent[] = [];
  // Without dead letters of its own, all that it publishes are events.
  const bus: Bus = {
    ...parts.bus,
    async publish(topic, records, options) {
      await parts.bus.publish(topic, records, options);
      for (const { value } of records) events.push(JSON.parse(String(value)) as SourceEvent);
    },
  };
  const { counts, rejected } = await ingestBody(
    { ...parts, bus },
    {
      integrationId,
      settings,
      bytes: Buffer.from(letter.body_base64, 'base64'),
      letter: { id, attempts: letter.attempts },
      receivedAt: Date.parse(receivedAt),
      // A clock that was behind at that time must not reject the event again.
      reference: Math.max(Date.parse(receivedAt), parts.clock.now()),
      ...(headers['traceparent'] === undefined ? {} : { traceparent: headers['traceparent'] }),
    },
  );
  if (rejected.length > 0) throw stillRefused(id, rejected, counts.observations + counts.messages > 0);
  return { stored: { observations: counts.observations, messages: counts.messages }, events };
};
