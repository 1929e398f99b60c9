import type { SkipReason } from '@ranger-relay/actions';
import { entryOf, registry, type ErrorCode } from '@ranger-relay/errors';

/** Why a run would not start: a reason of the runtime or of the schedule, or an error code. */
export type Obstacle = SkipReason | 'no_scheduler_leader' | 'not_scheduled';

const remedies: Readonly<Record<Obstacle, string>> = {
  integration_disabled: 'Enable the integration in the portal.',
  no_configuration: 'Save a configuration of the action in the portal.',
  invalid_configuration: 'Correct the named fields in the portal.',
  run_on_schedule_disabled:
    'Switch run_on_schedule on in the configuration of the action in the portal, or run it by hand with `ranger-relay run`.',
  already_running: 'Wait until the run ends; the lease of a run whose process has died expires within 30 s.',
  no_scheduler_leader: 'Start the action runner, which owns the schedule; a new one takes over within 30 s.',
  not_scheduled: 'Only pull actions have a schedule; run it by hand with `ranger-relay run`.',
};

/** Remedy of an obstacle; for an error code, that of the registry. */
export const remedyOf = (reason: string): string => {
  if (Object.hasOwn(remedies, reason)) return remedies[reason as Obstacle];
  return Object.hasOwn(registry, reason) ? entryOf(reason as ErrorCode).check : 'Check the log of the service.';
};
