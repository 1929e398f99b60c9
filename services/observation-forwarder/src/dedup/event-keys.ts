import type { SourceEvent } from '@ranger-relay/contracts';

/** Which event a key belongs to. */
type EventRef = Pick<SourceEvent, 'integration_id' | 'event_id'>;

/** Key of an event's mark in the state space (device contract, forwarder: phase 1). */
export const eventKey = (event: EventRef): string => `event.${event.integration_id}.${event.event_id}`;

/** Key of the lease on an event whose observation was accepted; its mark must outlive whoever works on the message. */
export const leaseKey = (event: EventRef): string => `lease.${event.integration_id}.${event.event_id}`;
