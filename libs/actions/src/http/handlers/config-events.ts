import { configEventKey, type ConfigEvent } from '@ranger-relay/contracts';
import { examineConfigEvent, type ReadEvent } from '@ranger-relay/platform';
import { respond } from '../responses.ts';
import type { Body } from '../body.ts';
import { dataLoc, readEnvelope } from '../envelope.ts';
import { bad, ok, type Read } from '../malformed.ts';
import type { HandlerDependencies, Incoming } from '../dependencies.ts';
import { deadLetterMalformed, nack, type PushDelivery } from './push.ts';

const read = (body: Body): Read<Exclude<ReadEvent, { kind: 'malformed' }>> => {
  const pushed = readEnvelope(body);
  if (!pushed.ok) return pushed;
  const event = examineConfigEvent(pushed.value.bytes, pushed.value.attributes);
  return event.kind === 'malformed' ? bad(dataLoc, 'This is not a config event', 'value_error') : ok(event);
};

const answer = (status: 'success' | 'error', message: string): Response =>
  respond({ status: 200, body: { status, message } });

/** Applies the event in this process and publishes it for all others. @throws RelayError of store or bus */
const take = async ({ applyConfigEvent, bus, topics }: HandlerDependencies, event: ConfigEvent): Promise<Response> => {
  await applyConfigEvent(event);
  await bus.publish(topics.configEvents, [{ key: configEventKey(event), value: JSON.stringify(event) }]);
  return answer('success', `${event.event_type} was applied`);
};

const work = async (parts: HandlerDependencies, delivery: PushDelivery): Promise<Response> => {
  const found = read(delivery.body);
  if (!found.ok) {
    await deadLetterMalformed(parts, delivery, found.detail, 'config_event');
    return answer('error', 'This is not a config event');
  }
  if (found.value.kind === 'other') return answer('error', 'This version or type of event is unknown');
  return take(parts, found.value.event);
};

/** `POST /config-events/` (platform contract, config events). */
export const configEventsHandler = async (parts: HandlerDependencies, incoming: Incoming): Promise<Response> => {
  const receivedAt = parts.context.clock.now();
  const body = await parts.readBody(incoming.body);
  try {
    return await work(parts, { body, headers: incoming.headers, receivedAt });
  } catch (error) {
    return nack(parts, error);
  } finally {
    body.release();
  }
};
