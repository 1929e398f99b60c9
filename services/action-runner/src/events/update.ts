import type { ChangeAnswer } from '@ranger-relay/platform';
import { changesOf } from './changes.ts';
import type { OneEvent } from './one-event.ts';
import type { TakingParts } from './parts.ts';

const wordsOf = (answer: Exclude<ChangeAnswer, { readonly kind: 'accepted' }>): string =>
  answer.kind === 'refused' ? answer.reason : 'the platform does not know the event any more';

/**
 * Sends what has changed, one call for each change, the record saved after each (platform contract, `pull_events`). A change that the
 * platform refuses goes to the dead letters and holds up nothing.
 * @throws RelayError of the platform, the state and the bus
 */
export const sendChanges = async (parts: TakingParts, one: OneEvent): Promise<void> => {
  const { events, integrationId, signal, tally, refusals } = parts;
  const { event } = one;
  let sent = 0;
  for (const { change, done } of changesOf(one.record(), event)) {
    const answer = await one.call((id) => events.patch(integrationId, id, change, { signal }));
    if (answer.kind === 'accepted') sent += 1;
    else {
      refusals.count += 1;
      await parts.bury({ eventId: event.id, item: change, reason: wordsOf(answer) });
    }
    await one.save(done(one.record()));
  }
  tally.updates_emitted += sent;
  tally.events_updated += sent > 0 ? 1 : 0;
};
