import { hash } from 'node:crypto';
import type { Bus } from '@ranger-relay/bus';
import { commandKey, newCommand, type CommandDraft } from '@ranger-relay/contracts';
import type { RuntimeDeps } from './deps.ts';
import type { ReadyRun } from './handler-context.ts';
import { placeOf } from './prepare.ts';

/** Publishes a command to its topic. @throws RelayError of the bus */
export const publishCommand = async (bus: Pick<Bus, 'publish'>, topic: string, draft: CommandDraft): Promise<void> => {
  const key = commandKey(draft.integrationId, draft.actionId);
  await bus.publish(topic, [{ key, value: JSON.stringify(newCommand(draft)) }]);
};

/** A deterministic id per message, so that processing the message again does not create a second command. */
const followUpId = (deps: RuntimeDeps, request: ReadyRun['request']): string => {
  const place = placeOf(deps, request);
  if (!place) return deps.context.random.uuid();
  const { slug, from, integrationId, actionId, id } = place;
  return hash('sha256', JSON.stringify(['follow-up', slug, from, integrationId, actionId, id]));
};

/**
 * Publishes the command that continues a run (platform contract: it copies `triggered_by`). Called after the lease is released and before
 * the current command is acknowledged. Returns the error when publishing failed.
 */
export const publishFollowUp = async (
  deps: RuntimeDeps,
  { integration, action, request }: ReadyRun,
  overrides: Readonly<Record<string, unknown>> | null,
): Promise<unknown> => {
  const { bus, commandsTopic, context } = deps;
  if (integration.id === null) return undefined;
  try {
    await publishCommand(bus, commandsTopic, {
      eventId: followUpId(deps, request),
      at: context.clock.now(),
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
