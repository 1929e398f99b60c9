import { hash } from 'node:crypto';
import { RelayError } from '@ranger-relay/errors';
import { publishCommand } from '../../execute/follow-up.ts';
import type { ExecuteRequest } from '../../execute/request.ts';
import type { DoorParts } from '../parts.ts';

/**
 * Puts a wish in the commands topic, to be run from there (platform contract, runner: background).
 * @throws RelayError `action_unknown`, `integration_unsaved`; of the bus
 */
export const runInBackground = async (
  { runtime, bus, topics, context: { clock, random } }: DoorParts,
  { integration, overrides, triggeredBy, message, selfTriggered = false }: ExecuteRequest,
  actionId: string,
  eventId?: string | null,
): Promise<void> => {
  if (!runtime.catalogue.get(actionId)) throw new RelayError('action_unknown', { details: { action: actionId } });
  if (!('id' in integration)) throw new RelayError('integration_unsaved', { details: { action: actionId } });
  await publishCommand(bus, topics.commands, {
    // A message id means something only where it came from; the topic has messages of many places.
    eventId: eventId || (message ? hash('sha256', JSON.stringify([message.from, message.id])) : random.uuid()),
    at: clock.now(),
    integrationId: integration.id,
    actionId,
    overrides: overrides ?? null,
    triggeredBy,
    selfTriggered,
  });
};
