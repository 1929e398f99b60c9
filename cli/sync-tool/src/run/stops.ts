import type { PlannedChange } from '@ranger-relay/contracts';
import { isRelayError, RelayError } from '@ranger-relay/errors';

/**
 * Most deactivations that nobody has to allow: a fifth of the active subjects that this tool made for the area, never less than five.
 * @param active how many there are
 */
export const defaultMaxDeactivations = (active: number): number => Math.max(5, Math.floor(active / 5));

/** Somebody would no longer be shown; the second subject of an employee who is shown by another one does not count. */
const hides = (change: PlannedChange): boolean =>
  change.kind === 'subject' &&
  change.action === 'updated' &&
  change.reason !== undefined &&
  change.reason !== 'duplicate';

/** `too_many_deactivations` when these changes are not allowed. */
export const deactivationsRefused = (changes: readonly PlannedChange[], limit: number): RelayError | undefined => {
  const planned = changes.filter(hides).length;
  return planned > limit ? new RelayError('too_many_deactivations', { details: { planned, limit } }) : undefined;
};

/** @throws RelayError `too_many_deactivations` */
export const guardDeactivations = (changes: readonly PlannedChange[], limit: number): void => {
  const refusal = deactivationsRefused(changes, limit);
  if (refusal) throw refusal;
};

/** Failures after which nothing else will work, nothing can be written down, or nobody knows what is going on: the run ends. */
export const endsRun = (error: RelayError): boolean =>
  isRelayError(
    error,
    'site_unauthorized',
    'site_redirected',
    'site_untrusted',
    'plan_outdated',
    'output_not_writable',
    'internal',
  );

/** A record that the site refuses is one record's failure; everything else will not be better with the next record. */
export const endsStep = (error: RelayError): boolean =>
  !isRelayError(error, 'site_refused', 'site_conflict', 'site_not_found');
