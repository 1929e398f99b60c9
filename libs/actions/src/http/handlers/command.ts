import { hash } from 'node:crypto';
import { isUnknownTrigger, type RunActionCommand, runActionCommandSchema } from '@ranger-relay/contracts';
import { RelayError, toRelayError } from '@ranger-relay/errors';
import { publishCommand } from '../../execute/follow-up.ts';
import type { ExecuteRequest, MessageRef } from '../../execute/request.ts';
import { respond } from '../responses.ts';
import type { Body } from '../body.ts';
import { dataLoc, messageOf, type Pushed, readData, readEnvelope } from '../envelope.ts';
import { ok, type Read, readAs } from '../malformed.ts';
import type { HandlerDependencies, Incoming } from '../dependencies.ts';
import { deadLetterDelivery, type PushDelivery, runPushed, handlePush } from './push.ts';

/**
 * Publishes a request to the commands topic, from which it runs (platform contract, runner: background).
 * @throws RelayError `action_unknown`, `integration_unsaved`; of the bus
 */
export const runInBackground = async (
  { runtime, bus, topics, context: { clock, random } }: HandlerDependencies,
  { integration, overrides, triggeredBy, message, selfTriggered = false }: ExecuteRequest,
  actionId: string,
  eventId?: string | null,
): Promise<void> => {
  if (!runtime.catalogue.get(actionId)) throw new RelayError('action_unknown', { details: { action: actionId } });
  if (!('id' in integration)) throw new RelayError('integration_unsaved', { details: { action: actionId } });
  await publishCommand(bus, topics.commands, {
    // A message id is unique only within its source, and the topic has messages from several sources.
    eventId: eventId || (message ? hash('sha256', JSON.stringify([message.from, message.id])) : random.uuid()),
    at: clock.now(),
    integrationId: integration.id,
    actionId,
    overrides: overrides ?? null,
    triggeredBy,
    selfTriggered,
  });
};

/** The request of a command; `message` identifies the message that carried it. */
export const requestOf = (
  command: RunActionCommand,
  { message, attempt }: { readonly message: MessageRef | undefined; readonly attempt: number },
): Omit<ExecuteRequest, 'onEnd'> => ({
  integration: { id: command.integration_id },
  wanted: { actionId: command.action_id },
  overrides: command.config_overrides ?? null,
  triggeredBy: command.triggered_by ?? 'auto',
  message,
  attempt,
  selfTriggered: command.payload?.self_triggered === true,
});

/** A command that arrived by push. */
interface PushedCommand {
  readonly command: RunActionCommand;
  readonly pushed: Pushed;
  readonly hasUnknownTrigger: boolean;
}

/** Reads a command from its envelope; `triggered_by` may come as an attribute. */
export const readPushedCommand = (body: Pick<Body, 'bytes' | 'tooLarge'>): Read<PushedCommand> => {
  const pushed = readEnvelope(body);
  if (!pushed.ok) return pushed;
  const data = readData(pushed.value);
  if (!data.ok) return data;
  const triggered_by = data.value['triggered_by'] ?? pushed.value.attributes['triggered_by'];
  const command = readAs(runActionCommandSchema, { ...data.value, triggered_by }, dataLoc);
  if (!command.ok) return command;
  return ok({ command: command.value, pushed: pushed.value, hasUnknownTrigger: isUnknownTrigger(triggered_by) });
};

const background = async (
  parts: HandlerDependencies,
  delivery: PushDelivery,
  request: Omit<ExecuteRequest, 'onEnd'>,
  command: RunActionCommand,
): Promise<Response> => {
  try {
    await runInBackground(parts, request, command.action_id, command.event_id);
    return respond({ status: 200, body: {} });
  } catch (thrown) {
    const error = toRelayError(thrown);
    const detail = { code: error.code, error: error.message };
    if (error.next !== 'dead') return respond({ status: 503, body: { detail }, retryAfterMs: 10_000 });
    const about = { integrationId: command.integration_id, reason: error.code, detail: error.message };
    await deadLetterDelivery(parts, delivery, { kind: 'command', attempts: request.attempt ?? 1, ...about });
    return respond({ status: 200, body: { detail } });
  }
};

/** `POST /`: runs the action of a pushed command, immediately or through the commands topic. */
export const commandHandler = (parts: HandlerDependencies, incoming: Incoming): Promise<Response> =>
  handlePush(parts, incoming, readPushedCommand, async ({ command, pushed, hasUnknownTrigger }, delivery) => {
    if (hasUnknownTrigger) parts.context.metrics.count('relay_unknown_triggers_total');
    const message = messageOf('/', pushed, command.event_id || pushed.messageId);
    const request = requestOf(command, { message, attempt: pushed.attempt });
    if (parts.inBackground) return background(parts, delivery, request, command);
    return runPushed(parts, delivery, 'command', request);
  });
