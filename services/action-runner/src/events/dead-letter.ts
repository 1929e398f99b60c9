import { hash } from 'node:crypto';
import type { Bus } from '@ranger-relay/bus';
import { keptBody, topics, type DeadLetter } from '@ranger-relay/contracts';
import type { EventItem } from '@ranger-relay/platform';
import type { Clock } from '@ranger-relay/runtime';

/** An event, or a change of one, that the platform does not take. */
export interface Burial {
  /** Of the site. */
  readonly eventId: string;
  /** As it was sent. */
  readonly item: EventItem;
  /** The platform's words. */
  readonly reason: string;
}

/** Whose dead letters these are. */
export interface BurialParts {
  readonly bus: Pick<Bus, 'publish'>;
  readonly clock: Clock;
  readonly integrationId: string;
  /** When the run was asked for, ms since 1970. */
  readonly receivedAt: number;
}

const iso = (ms: number): string => new Date(ms).toISOString();

/**
 * The dead letter of an event or a change. Its id follows from what it holds, so that a run that is repeated after a kill leaves one letter.
 */
export const letterOf = ({ eventId, item, reason }: Burial, parts: Omit<BurialParts, 'bus'>): DeadLetter => {
  const { clock, integrationId, receivedAt } = parts;
  const body = JSON.stringify(item);
  return {
    v: 1,
    id: hash('sha256', `${integrationId} ${eventId} ${body}`).slice(0, 32),
    kind: 'observation',
    integration_id: integrationId,
    reason: 'item_refused',
    detail: reason.slice(0, 500),
    received_at: iso(receivedAt),
    failed_at: iso(clock.now()),
    attempts: 1,
    origin: null,
    headers: { action: 'pull_events', event: eventId },
    ...keptBody(Buffer.from(body)),
  };
};

/** Makes the burials of a run. @throws RelayError of the bus when a letter is not stored */
export const createBury =
  (parts: BurialParts) =>
  (burial: Burial): Promise<void> => {
    const letter = letterOf(burial, parts);
    return parts.bus.publish(topics.deadLetters.name, [{ key: parts.integrationId, value: JSON.stringify(letter) }]);
  };
