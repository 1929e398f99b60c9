import { type ActivityKind, activityLevel, type ActivityPayloads } from '@ranger-relay/contracts';
import type { ActivityFeed } from '../define/context.ts';
import type { RuntimeDeps } from './deps.ts';
import type { ReadyRun } from './handler-context.ts';
import type { FailureReport } from './request.ts';

/** Writes the activity log entries of one run (platform contract, activity-log events). Never fails and never waits. */
export interface ActivityReporter {
  started(): void;
  complete(result: unknown): void;
  failed(report: FailureReport): void;
  readonly feed: ActivityFeed;
}

/** Creates the reporter of one run; of an unsaved integration it reports nothing. */
export const createActivityReporter = (
  { activity, context: { log } }: Pick<RuntimeDeps, 'activity' | 'context'>,
  { integration: { id: integrationId }, action: { id: actionId }, subject: { configData, scrubber } }: ReadyRun,
): ActivityReporter => {
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
