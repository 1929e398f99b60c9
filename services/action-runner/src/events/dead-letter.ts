import type { DeadLetterFacts, DeadLetters } from '@ranger-relay/bus';
import type { EventItem } from '@ranger-relay/platform';

/** An event, or a change of one, that the platform does not take. */
export interface DeadLetterRequest {
  /** Of the site. */
  readonly eventId: string;
  /** As it was sent. */
  readonly item: EventItem;
  /** The platform's words. */
  readonly reason: string;
  /** It was not refused; the platform fails on it each time. */
  readonly fails?: boolean;
}

/** Whose dead letters these are. */
export interface DeadLetterDependencies {
  readonly deadLetters: DeadLetters;
  readonly integrationId: string;
  /** When the run was asked for, ms since 1970. */
  readonly receivedAt: number;
}

/** What the dead letter is made of: a run that is repeated after a kill writes the same letter again. */
export const factsOf = (
  { eventId, item, reason, fails = false }: DeadLetterRequest,
  { integrationId, receivedAt }: Omit<DeadLetterDependencies, 'deadLetters'>,
): DeadLetterFacts => ({
  kind: 'site_event',
  integrationId,
  reason: fails ? 'item_fails' : 'item_refused',
  detail: reason,
  receivedAt,
  headers: { action: 'pull_events', event: eventId },
  body: Buffer.from(JSON.stringify(item)),
  identity: [integrationId, eventId],
});

/** Makes the burials of a run. @throws RelayError of the bus when a letter is not stored */
export const createDeadLetterWriter =
  ({ deadLetters, ...about }: DeadLetterDependencies) =>
  (burial: DeadLetterRequest): Promise<void> =>
    deadLetters.write(factsOf(burial, about));
