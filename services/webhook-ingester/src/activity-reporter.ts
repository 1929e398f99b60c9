import { activityLevel } from '@ranger-relay/contracts';
import { type KvSpace, oncePerHour } from '@ranger-relay/kv';
import type { Activity } from '@ranger-relay/platform';
import { BoundedMap, type Clock } from '@ranger-relay/runtime';
import type { IngestResult } from './ingest/ingest.ts';

/** Lets one call per topic, integration and hour through, across all replicas while the store is available. */
interface HourlyThrottle {
  /** Runs `report` unless one already ran within the hour; never blocks, never throws. */
  run(topic: string, integrationId: string, report: () => void): void;
}

const hourMs = 3_600_000;
const keysLimit = 10_000;

/** Creates an hourly throttle. The process checks its own memory first, so that a flood does not reach the store. */
export const createHourlyThrottle = (state: KvSpace, clock: Clock): HourlyThrottle => {
  const reportedAt = new BoundedMap<number>(keysLimit);
  return {
    run(topic, integrationId, report) {
      const key = `${topic} ${integrationId}`;
      const last = reportedAt.get(key);
      if (last !== undefined && clock.monotonic() - last < hourMs) return;
      reportedAt.set(key, clock.monotonic());
      void oncePerHour(state, topic, integrationId)
        .catch(() => true)
        .then((first) => (first ? report() : undefined));
    },
  };
};

/** Writes entries to the activity log of an integration; never blocks, never throws. */
export type ActivitySink = Pick<Activity, 'webhook'>;

/** What the ingester reports to the activity log. */
export interface ActivityReporter {
  /** Reports a POST that was handled and stored. The POSTs of an integration within a second are one pair of entries, with their sums. */
  handled(integrationId: string, config: unknown, result: IngestResult): void;
  /** Reports webhook settings with wrong values, at most hourly. */
  settingsIgnored(integrationId: string, keys: readonly string[]): void;
  /** Writes the entries of the current second. */
  flush(): void;
}

type Totals = Readonly<Record<string, number>>;

const totalsOf = ({ counts }: IngestResult): Totals => ({
  total_observations: counts.observations,
  total_messages: counts.messages,
  skipped_no_fix: counts.skipped_no_fix,
  skipped_no_time: counts.skipped_no_time,
  test_events: counts.test_events,
  rejected: counts.rejected,
});

const plus = (a: Totals, b: Totals): Totals =>
  Object.fromEntries(Object.entries(b).map(([name, count]) => [name, count + (a[name] ?? 0)]));

const secondMs = 1_000;

/** Creates the reporter of one process. */
export const createActivityReporter = (activity: ActivitySink, state: KvSpace, clock: Clock): ActivityReporter => {
  const hourly = createHourlyThrottle(state, clock);
  const warn = (integrationId: string, title: string, data: object): void =>
    activity.webhook('CustomLog', integrationId, { title, level: activityLevel.warning, data });

  /** The POSTs of the current second of each integration. */
  const handled = new Map<string, { readonly config: unknown; readonly totals: Totals }>();

  const tell = (integrationId: string): void => {
    const sum = handled.get(integrationId);
    if (!sum) return;
    handled.delete(integrationId);
    activity.webhook('Started', integrationId, { config_data: sum.config });
    activity.webhook('Complete', integrationId, { config_data: sum.config, result: sum.totals });
  };

  return {
    handled(integrationId, config, result) {
      const before = handled.get(integrationId);
      if (!before) clock.after(secondMs, () => tell(integrationId));
      handled.set(integrationId, { config, totals: plus(before?.totals ?? {}, totalsOf(result)) });
      const [first] = result.rejected;
      if (result.badBody && first)
        hourly.run('bad-body', integrationId, () =>
          warn(integrationId, 'A webhook body could not be read; it is in the dead letters', {
            code: first.code,
            reason: first.reason,
          }),
        );
      if (result.rejectedSos > 0)
        warn(integrationId, 'An SOS event could not be read; it is in the dead letters', { count: result.rejectedSos });
    },

    settingsIgnored(integrationId, keys) {
      hourly.run('webhook-settings', integrationId, () =>
        warn(integrationId, 'Some webhook settings are invalid; their defaults apply', { keys: [...keys] }),
      );
    },

    flush() {
      for (const id of handled.keys()) tell(id);
    },
  };
};
