import { activityLevel } from '@ranger-relay/contracts';
import type { FailedPayload } from '../failures/failed-entry.ts';
import type { End } from './ends.ts';
import { pushActionId, type PushDeps, type PushInput } from './parts.ts';

const recipientsOf = (ends: readonly End[], kind: End['kind']): string[] =>
  ends.filter((end) => end.kind === kind).map(({ recipient }) => recipient);

/** An activity log that cannot take an entry never fails a run. */
const quietly = ({ log }: PushDeps, write: () => void): void => {
  try {
    write();
  } catch (error) {
    log.warn({ err: error }, 'an activity entry could not be written');
  }
};

const custom = (input: PushInput, deps: PushDeps, entry: { title: string; level: number; data: object }): void =>
  quietly(deps, () => deps.activity.action('CustomLog', input.integrationId, pushActionId, entry));

/** The one Failed event of a run. */
export const tellFailed = (input: PushInput, payload: FailedPayload, deps: PushDeps): void => {
  deps.log.warn(
    { integration_id: input.integrationId, error: payload.error, ...payload.request_data },
    'a push failed',
  );
  quietly(deps, () => deps.activity.action('Failed', input.integrationId, pushActionId, { ...payload }));
};

/**
 * Tells of texts that the vendor took and of texts that are held (device contract, section 7). A run that decided nothing, because all of
 * it was decided before, tells nothing again.
 */
export const tellEnds = (input: PushInput, deliveryId: string, ends: readonly End[], deps: PushDeps): void => {
  if (!ends.some((end) => end.kind !== 'transient' && end.fresh)) return;
  const accepted = recipientsOf(ends, 'accepted');
  const held = recipientsOf(ends, 'held');
  const { attributes } = input;
  const at = new Date(deps.clock.now()).toISOString();
  if (accepted.length > 0) {
    const data = { delivery_id: deliveryId, recipients: accepted, delivered_at: at, attributes };
    custom(input, deps, { title: 'Message Delivered', level: activityLevel.info, data });
  }
  if (held.length > 0) {
    const data = { delivery_id: deliveryId, recipients: held, held_at: at };
    custom(input, deps, { title: 'Message held: it may have been sent', level: activityLevel.warning, data });
  }
};
