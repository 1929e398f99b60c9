import { activityLevel } from '@ranger-relay/contracts';
import type { Activity } from '@ranger-relay/platform';
import { BoundedMap, type Clock } from '@ranger-relay/runtime';

/** Entries of the activity log about the events of a site. */
export interface ActivityReporter {
  warn(integrationId: string, title: string, data: Readonly<Record<string, unknown>>): void;
  /** At most one such entry an hour and integration of this process. */
  warnHourly(integrationId: string, title: string, data: Readonly<Record<string, unknown>>): void;
}

const hourMs = 3_600_000;

/** Creates the entries; they appear with those of the pull that read the events. */
export const createActivityReporter = (
  activity: Pick<Activity, 'action'>,
  { monotonic }: Pick<Clock, 'monotonic'>,
): ActivityReporter => {
  const told = new BoundedMap<number>(1_000);
  const warn: ActivityReporter['warn'] = (integrationId, title, data) =>
    activity.action('CustomLog', integrationId, 'pull_events', { title, level: activityLevel.warning, data });
  return {
    warn,
    warnHourly(integrationId, title, data) {
      const key = `${integrationId} ${title}`;
      if (monotonic() - (told.get(key) ?? -Infinity) < hourMs) return;
      told.set(key, monotonic());
      warn(integrationId, title, data);
    },
  };
};
