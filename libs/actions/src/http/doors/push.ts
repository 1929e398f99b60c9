import type { ExecuteRequest } from '../../execute/request.ts';
import type { Body } from '../body.ts';
import { attributesLoc, dataLoc, messageOf, readData, readEnvelope } from '../envelope.ts';
import { bad, ok, type Read } from '../malformed.ts';
import type { DoorParts, Incoming } from '../parts.ts';
import { runPushed, takePush } from './pushed.ts';

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The same event may be meant for several destinations, so its id alone does not name a delivery. */
const deliveryIdOf = (messageId: string | undefined, eventId: unknown, destination: string): string | undefined =>
  messageId ?? (textOf(eventId) === undefined ? undefined : `${String(eventId)}.${destination}`);

/** The wish of pushed data: its `event_type` names the data model, `destination_id` the integration. */
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

/** `POST /push-data`: runs the push action that takes the data. */
export const pushDoor = (parts: DoorParts, incoming: Incoming): Promise<Response> =>
  takePush(parts, incoming, read, (request, delivery) => runPushed(parts, delivery, 'push', request));
