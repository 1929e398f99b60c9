import { activityLevel } from '@ranger-relay/contracts';
import { stateKey } from '../state/keys.ts';
import { createScrubber } from '../values/scrubber.ts';
import type { RuntimeDeps } from './deps.ts';
import type { Problem } from './problems.ts';

const hourMs = 3_600_000;

/**
 * Tells people that scheduled runs are skipped because of their configuration: one WARNING entry an hour, integration and action, over all
 * processes (platform contract, runner). Without the store nothing is told.
 */
export const warnOfConfig = async (
  { state, activity, context: { log } }: Pick<RuntimeDeps, 'state' | 'activity' | 'context'>,
  { integrationId, actionId }: { readonly integrationId: string; readonly actionId: string },
  problems: readonly Problem[],
): Promise<void> => {
  try {
    const key = stateKey.invalidConfigWarning(integrationId, actionId);
    if (!(await state.setIfAbsent(key, '1', { ttlMs: hourMs }))) return;
    activity.action('CustomLog', integrationId, actionId, {
      title: `Scheduled runs of ${actionId} are skipped: its configuration is not valid`,
      level: activityLevel.warning,
      data: createScrubber().value({ problems }),
    });
  } catch (error) {
    log.debug({ err: error }, 'an hourly warning was left out');
  }
};
