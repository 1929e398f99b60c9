import type { Message } from '@ranger-relay/contracts';
import { addMarks, codeOf, motionOf, statusOf, type Marks } from './additional.ts';
import type { DeviceEvent } from './payload.ts';

/** A text for the platform (device contract, section 3); without a usable fix the location is left out. */
export const messageOf = (
  event: DeviceEvent,
  text: string,
  recordedAt: string,
  location: Message['location'] | null,
  marks: Marks,
): Message => {
  const additional = {
    ...codeOf(event),
    status: statusOf(event.status),
    recipient_addresses: event.addresses,
    ...motionOf(event),
  };
  const message: Message = {
    source: event.source,
    sender: event.source,
    recipients: [],
    text,
    recorded_at: recordedAt,
    additional: addMarks(additional, event, marks),
  };
  return location ? { ...message, location } : message;
};
