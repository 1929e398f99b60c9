import type { DeadLetterFacts, DeadLetters } from '@ranger-relay/bus';
import type { EventItem } from '@ranger-relay/platform';
import type { SiteEvent } from './site-event.ts';

/** An event, or a change of one, that the platform does not accept. */
export interface DeadLetterRequest {
  /** The event, in the version in which the site showed it. */
  readonly event: Pick<SiteEvent, 'id' | 'updatedAt'>;
  /** The item as it was sent. */
  readonly item: EventItem;
  /** Reason given by the platform. */
  readonly reason: string;
  /** True when the platform did not refuse the item but fails on it each time. */
  readonly fails?: boolean;
}

/** Dependencies of the dead-letter writer. */
export interface DeadLetterDependencies {
  readonly deadLetters: DeadLetters;
  readonly integrationId: string;
  /** When the run was requested, ms since 1970. */
  readonly receivedAt: number;
}

/** Builds the dead letter; a run that is repeated after a crash writes the same letter again. */
export const factsOf = (
  { event, item, reason, fails = false }: DeadLetterRequest,
  { integrationId, receivedAt }: Omit<DeadLetterDependencies, 'deadLetters'>,
): DeadLetterFacts => ({
  kind: 'site_event',
  integrationId,
  reason: fails ? 'item_fails' : 'item_refused',
  detail: reason,
  receivedAt,
  headers: { action: 'pull_events', event: event.id },
  body: Buffer.from(JSON.stringify(item)),
  // What is refused again in a later version is another letter: the first one may have been replayed or dropped.
  identity: [integrationId, event.id, event.updatedAt ?? ''],
});

/** Creates the dead-letter writer of a run. @throws RelayError of the bus when a letter is not stored */
export const createDeadLetterWriter =
  ({ deadLetters, ...about }: DeadLetterDependencies) =>
  (burial: DeadLetterRequest): Promise<void> =>
    deadLetters.write(factsOf(burial, about));
