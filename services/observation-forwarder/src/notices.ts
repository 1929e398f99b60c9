import { activityLevel, type SourceEvent } from '@ranger-relay/contracts';
import { isRelayError, type RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import { lru } from './lru.ts';

/** Takes entries for the activity log of an integration; never blocks, never throws. */
export interface ActivitySink {
  webhook(type: 'CustomLog', integrationId: string, payload: Readonly<Record<string, unknown>>): void;
}

/** What the forwarder tells the people who look at the activity log. */
export interface Notices {
  /** Once per SOS event: who, what, when (device contract, mapping: SOS codes). */
  sos(event: SourceEvent): void;
  /** A refused key, at most once an hour and integration. */
  keyRefused(integrationId: string, error: RelayError): Promise<void>;
}

const hourMs = 3_600_000;

const whenOf = (event: SourceEvent): string =>
  event.message?.recorded_at ?? event.observation?.recorded_at ?? event.received_at;

/** Makes the notices. */
export const createNotices = (activity: ActivitySink, state: KvSpace): Notices => {
  const told = lru<string, true>(10_000);
  return {
    sos(event) {
      if (told.get(event.event_id)) return;
      told.set(event.event_id, true);
      activity.webhook('CustomLog', event.integration_id, {
        title: `SOS ${event.sos ?? ''} by device ${event.source}`,
        level: activityLevel.warning,
        data: { imei: event.source, message_code: event.message_code ?? null, sos: event.sos, time: whenOf(event) },
      });
    },

    async keyRefused(integrationId, error) {
      const first = await state
        .setIfAbsent(`refused-key-entry.${integrationId}`, 'told', { ttlMs: hourMs })
        .catch((failure: unknown) => {
          if (!isRelayError(failure, 'kv_unavailable')) throw failure;
          return false;
        });
      if (!first) return;
      activity.webhook('CustomLog', integrationId, {
        title: 'The platform refuses the API key of this integration; its events wait',
        level: activityLevel.error,
        data: { code: error.code, error: error.message },
      });
    },
  };
};
