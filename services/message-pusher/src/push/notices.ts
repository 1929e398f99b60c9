import type { End } from './ends.ts';
import type { PushInput } from './parts.ts';

const recipientsOf = (ends: readonly End[], kind: End['kind']): string[] =>
  ends.filter((end) => end.kind === kind).map(({ recipient }) => recipient);

/**
 * Tells of texts that the vendor took and of texts that are held (device contract, section 7). A run that decided nothing, because all of
 * it was decided before, tells nothing again.
 * @param now ms since 1970
 */
export const tellEnds = (
  { feed, attributes }: PushInput,
  deliveryId: string,
  ends: readonly End[],
  now: number,
): void => {
  if (!ends.some((end) => end.kind !== 'transient' && end.fresh)) return;
  const accepted = recipientsOf(ends, 'accepted');
  const held = recipientsOf(ends, 'held');
  const at = new Date(now).toISOString();
  if (accepted.length > 0)
    feed.info('Message Delivered', { delivery_id: deliveryId, recipients: accepted, delivered_at: at, attributes });
  if (held.length > 0)
    feed.warning('Message held: it may have been sent', { delivery_id: deliveryId, recipients: held, held_at: at });
};
