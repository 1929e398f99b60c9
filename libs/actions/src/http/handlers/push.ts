import type { DeadLetterFacts } from '@ranger-relay/bus';
import { canonicalId } from '@ranger-relay/contracts';
import { RelayError, toRelayError } from '@ranger-relay/errors';
import type { ExecuteOutcome, ExecuteRequest } from '../../execute/request.ts';
import { answerOf, type RequestHandler, respond } from '../responses.ts';
import type { Body } from '../body.ts';
import { attributesLoc, dataLoc, messageOf, readData, readEnvelope } from '../envelope.ts';
import { bad, type Detail, ok, type Read, sentenceOfDetails } from '../malformed.ts';
import type { HandlerDependencies, Incoming } from '../dependencies.ts';

/** One delivery of a push message. */
export interface PushDelivery {
  readonly body: Body;
  readonly headers: () => Record<string, string>;
  /** ms since 1970. */
  readonly receivedAt: number;
}

/** The data of a dead letter for a message. */
type DeadLetterDelivery = Pick<DeadLetterFacts, 'kind' | 'integrationId' | 'reason' | 'detail' | 'attempts'>;

/** The bus or the store is down: the message will be redelivered. */
export const nack = (parts: HandlerDependencies, thrown: unknown): Response => {
  const { code, message, next } = toRelayError(thrown);
  parts.limitedLog.warn(code, { code, next }, 'a push message was deferred; it will be redelivered');
  const error = code === 'internal' ? 'An unexpected error occurred' : message;
  return respond({ status: 500, body: { detail: { code, error } } });
};

/** Writes a message to the dead letters. @throws RelayError of the bus */
export const deadLetterDelivery = (
  parts: HandlerDependencies,
  { body, headers, receivedAt }: PushDelivery,
  about: DeadLetterDelivery,
): Promise<void> =>
  parts.deadLetters.write({ ...about, body: body.bytes, size: body.size, headers: headers(), receivedAt });

/** Dead-letters and acknowledges an unreadable message, which would otherwise be redelivered for days. */
export const deadLetterMalformed = async (
  parts: HandlerDependencies,
  delivery: PushDelivery,
  detail: readonly Detail[],
  kind: 'push_envelope' | 'config_event' = 'push_envelope',
): Promise<void> => {
  const { code } = new RelayError('request_malformed');
  parts.limitedLog.warn(kind, { detail }, 'a push message could not be read');
  await deadLetterDelivery(parts, delivery, {
    kind,
    integrationId: null,
    reason: code,
    detail: sentenceOfDetails(detail),
    attempts: 1,
  });
};

const arrivalOf = ({ receivedAt, headers }: PushDelivery): Pick<ExecuteRequest, 'receivedAt' | 'traceparent'> => ({
  receivedAt,
  traceparent: headers()['traceparent'],
});

/**
 * Runs the action of a message and answers as the contract's table requires. Dead letters are durable before the message is acknowledged.
 */
export const runPushed = async (
  parts: HandlerDependencies,
  delivery: PushDelivery,
  handler: Extract<RequestHandler, 'command' | 'push'>,
  request: Omit<ExecuteRequest, 'onEnd'>,
): Promise<Response> => {
  const integrationId = 'id' in request.integration ? request.integration.id : null;
  const onEnd = async (outcome: ExecuteOutcome): Promise<void> => {
    const { dead } = answerOf(outcome, handler);
    const kind = handler === 'command' ? 'command' : 'push_message';
    if (dead)
      await deadLetterDelivery(parts, delivery, { kind, integrationId, attempts: request.attempt ?? 1, ...dead });
  };
  return respond(answerOf(await parts.runtime.execute({ ...request, ...arrivalOf(delivery), onEnd }), handler));
};

/** Handles one push message: dead-letters an unreadable one, and reports a dependency that is down. */
export const handlePush = async <T>(
  parts: HandlerDependencies,
  incoming: Incoming,
  read: (body: Body) => Read<T>,
  work: (value: T, delivery: PushDelivery) => Promise<Response>,
): Promise<Response> => {
  const receivedAt = parts.context.clock.now();
  const body = await parts.readBody(incoming.body);
  const delivery = { body, headers: incoming.headers, receivedAt };
  try {
    const value = read(body);
    if (value.ok) return await work(value.value, delivery);
    await deadLetterMalformed(parts, delivery, value.detail);
    return respond({ status: 200, body: { detail: value.detail } });
  } catch (error) {
    return nack(parts, error);
  } finally {
    body.release();
  }
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The id of a delivery includes the destination, because one event may be sent to several destinations. */
const deliveryIdOf = (messageId: string | undefined, eventId: unknown, destination: string): string | undefined =>
  messageId ?? (textOf(eventId) === undefined ? undefined : `${canonicalId(String(eventId))}.${destination}`);

/** The request of pushed data: its `event_type` names the data model, its `destination_id` the integration. */
const read = (body: Body): Read<Omit<ExecuteRequest, 'onEnd'>> => {
  const pushed = readEnvelope(body);
  if (!pushed.ok) return pushed;
  const data = readData(pushed.value);
  if (!data.ok) return data;
  const { attributes, messageId, attempt } = pushed.value;
  const destination = textOf(attributes['destination_id']);
  if (destination === undefined) return bad([...attributesLoc, 'destination_id'], 'Field required', 'missing');
  const model = textOf(data.value['event_type']);
  if (model === undefined) return bad([...dataLoc, 'event_type'], 'Field required', 'missing');
  return ok({
    integration: { id: destination },
    wanted: { model, data: data.value, attributes },
    triggeredBy: 'auto' as const,
    message: messageOf('/push-data', pushed.value, deliveryIdOf(messageId, data.value['event_id'], destination)),
    attempt,
  });
};

/** `POST /push-data`: runs the push action that accepts the data. */
export const pushHandler = (parts: HandlerDependencies, incoming: Incoming): Promise<Response> =>
  handlePush(parts, incoming, read, (request, delivery) => runPushed(parts, delivery, 'push', request));
