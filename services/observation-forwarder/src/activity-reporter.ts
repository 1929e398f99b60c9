import { activityLevel, recordedAt, type SourceEvent } from '@ranger-relay/contracts';
import { type KvSpace, unlessUnavailable } from '@ranger-relay/kv';
import type { Activity } from '@ranger-relay/platform';
import { BoundedMap, type Context } from '@ranger-relay/runtime';

/** Writes entries to the activity log of an integration; never blocks, never throws. */
export type ActivitySink = Pick<Activity, 'webhook'>;

/** The vendor sends an event again for up to 5 days, ms. */
const entryMs = 6 * 86_400_000;

/** What the forwarder reports to the activity log and its own log. */
export interface ActivityReporter {
  /**
   * Writes one entry per SOS event: device, code and time (device contract, mapping: SOS codes); none for a replay. Resolves once it
   * is known whether an entry exists already, at the latest at the deadline of the store.
   */
  sos(event: SourceEvent): Promise<void>;
  /** Reports an SOS event that the platform accepted, with the time since its receipt and the object ids. */
  accepted(event: SourceEvent, seconds: number, objectIds: readonly string[]): void;
  /** Reports an SOS event of which a part was dead-lettered; ignores other events. */
  gaveUp(event: SourceEvent, reason: string, detail: string): void;
}

const factsOf = (event: SourceEvent) => ({
  imei: event.source,
  message_code: event.message_code ?? null,
  sos: event.sos,
  time: recordedAt(event),
});

/** Creates the reporter of one process. */
export const createActivityReporter = (
  activity: ActivitySink,
  state: KvSpace,
  { log, metrics }: Pick<Context, 'log' | 'metrics'>,
): ActivityReporter => {
  const reported = new BoundedMap<true>(10_000);

  return {
    async sos(event) {
      if (event.replay_of !== undefined) return;
      const key = `sos-entry.${event.integration_id}.${event.event_id}`;
      if (reported.get(key)) return;
      reported.set(key, true);
      // Two entries are better than none while the store is unavailable.
      if ((await unlessUnavailable(state.setIfAbsent(key, 'reported', { ttlMs: entryMs }))) === false) return;
      activity.webhook('CustomLog', event.integration_id, {
        title: `SOS ${event.sos ?? ''} by device ${event.source}`,
        level: activityLevel.warning,
        data: factsOf(event),
      });
    },

    accepted(event, seconds, objectIds) {
      activity.webhook('CustomLog', event.integration_id, {
        title: `SOS ${event.sos ?? ''} by device ${event.source} accepted after ${seconds.toFixed(1)} s`,
        level: activityLevel.info,
        data: { ...factsOf(event), seconds, object_ids: objectIds },
      });
    },

    gaveUp(event, reason, detail) {
      if (!event.sos) return;
      metrics.count('relay_sos_events_total', { outcome: 'refused' });
      log.error({ integration_id: event.integration_id, sos: event.sos, reason }, 'an SOS became a dead letter');
      activity.webhook('CustomLog', event.integration_id, {
        title: `SOS ${event.sos} by device ${event.source} was not accepted by the platform: ${reason}`,
        level: activityLevel.error,
        data: { ...factsOf(event), error: detail },
      });
    },
  };
};
