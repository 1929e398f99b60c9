import type { Bus } from '@ranger-relay/bus';
import { commandKey, newCommand, type CommandDraft } from '@ranger-relay/contracts';
import type { RuntimeDeps } from './deps.ts';
import type { ReadyRun } from './handler-context.ts';

/** Puts a command in its topic. @throws RelayError of the bus */
export const publishCommand = async (bus: Pick<Bus, 'publish'>, topic: string, draft: CommandDraft): Promise<void> => {
  const key = commandKey(draft.integrationId, draft.actionId);
  await bus.publish(topic, [{ key, value: JSON.stringify(newCommand(draft)) }]);
};

/**
 * Publishes the command that a run goes on with (platform contract: it copies `triggered_by`). Called after the lease is released and before
 * the present command is done with. What it answers is why it could not.
 */
export const publishFollowUp = async (
  { bus, commandsTopic, context: { clock, random } }: RuntimeDeps,
  { integration, action, request }: ReadyRun,
  overrides: Readonly<Record<string, unknown>> | null,
): Promise<unknown> => {
  if (integration.id === null) return undefined;
  try {
    await publishCommand(bus, commandsTopic, {
      eventId: random.uuid(),
      at: clock.now(),
      integrationId: integration.id,
      actionId: action.id,
      overrides: overrides ?? request.overrides ?? null,
      triggeredBy: request.triggeredBy,
      selfTriggered: true,
    });
    return undefined;
  } catch (error) {
    return error;
  }
};
