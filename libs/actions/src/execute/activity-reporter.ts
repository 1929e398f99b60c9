import { type ActivityKind, activityLevel, type ActivityPayloads } from '@ranger-relay/contracts';
import type { Activity } from '@ranger-relay/platform';
import type { Logger } from '@ranger-relay/runtime';
import type { ActivityFeed } from '../define/context.ts';
import type { Scrubber } from '../values/scrubber.ts';
import type { FailureReport } from './request.ts';

/** Writes the activity log entries of one run (platform contract, activity-log events). Never fails and never waits. */
export interface ActivityReporter {
  started(): void;
  complete(result: unknown): void;
  failed(report: FailureReport): void;
  readonly feed: ActivityFeed;
}

/** The run that the entries describe. */
export interface ActivityReporterDependencies {
  readonly activity: Pick<Activity, 'action'>;
  readonly log: Logger;
  /** Null for an unsaved integration, for which nothing is logged. */
  readonly integrationId: string | null;
  readonly actionId: string;
  readonly configData: unknown;
  readonly scrubber: Scrubber;
}

/** Creates the reporter of one run. */
export const createActivityReporter = (parts: ActivityReporterDependencies): ActivityReporter => {
  const { activity, log, integrationId, actionId, configData, scrubber } = parts;

  const tell = <K extends ActivityKind>(kind: K, payload: () => ActivityPayloads[K]): void => {
    if (integrationId === null) return;
    try {
      activity.action(kind, integrationId, actionId, payload());
    } catch (error) {
      log.warn({ err: error }, 'an entry of the activity log was lost');
    }
  };

  const custom =
    (level: ActivityPayloads['CustomLog']['level']) =>
    (title: string, data: Readonly<Record<string, unknown>> = {}): void =>
      tell('CustomLog', () => ({ title: scrubber.text(String(title)), level, data: scrubber.value(data) }));

  return {
    started: () => tell('Started', () => ({ config_data: configData })),
    complete: (result) => tell('Complete', () => ({ config_data: configData, result: scrubber.value(result) })),
    failed: ({ integration_id: _id, action_id: _action, error_type: _type, ...payload }) =>
      tell('Failed', () => payload),
    feed: {
      debug: custom(activityLevel.debug),
      info: custom(activityLevel.info),
      warning: custom(activityLevel.warning),
      error: custom(activityLevel.error),
    },
  };
};
