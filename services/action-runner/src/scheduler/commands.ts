import { hash } from 'node:crypto';
import type { OutgoingRecord } from '@ranger-relay/bus';
import { commandKey, newCommand } from '@ranger-relay/contracts';
import type { DueAction } from './due.ts';

/** The same for every publication of one instant, so that repeats collapse. */
export const scheduledEventId = (integrationId: string, { actionId, at }: DueAction): string =>
  hash('sha256', JSON.stringify(['schedule', integrationId, actionId, new Date(at).toISOString()]));

/** The command of one integration for one instant. */
export const scheduledCommand = (integrationId: string, due: DueAction, now: number): OutgoingRecord => ({
  key: commandKey(integrationId, due.actionId),
  value: JSON.stringify(
    newCommand({
      eventId: scheduledEventId(integrationId, due),
      at: now,
      integrationId,
      actionId: due.actionId,
      triggeredBy: 'auto',
      scheduledAt: due.at,
    }),
  ),
});
