import { toRelayError } from '@ranger-relay/errors';
import type { ChangeAnswer, EventItem } from '@ranger-relay/platform';
import { LeftForLater } from './failing.ts';
import type { OneEvent } from './one-event.ts';
import type { TakingDependencies } from './parts.ts';
import type { EventRecord } from './record.ts';
import type { SiteEvent } from './site-event.ts';

/** One change to send, and how to update the record once the platform accepted it. */
interface Change {
  readonly change: EventItem;
  done(record: EventRecord): EventRecord;
}

/**
 * The changes that the platform does not have yet, in sending order: each new note, then state, priority and title (platform contract,
 * `pull_events`). Values that the site does not have are not sent.
 */
const changesOf = (record: EventRecord, { notes, state, priority, title }: SiteEvent): readonly Change[] => {
  const seen = new Set(record.seen_note_ids);
  const changes: Change[] = notes
    .filter(({ id }) => !seen.has(id) && seen.add(id))
    .map(({ id, note }) => ({
      change: { notes: [note] },
      done: (at) => ({ ...at, seen_note_ids: [...at.seen_note_ids, id] }),
    }));
  if (state !== null && state !== record.state)
    changes.push({ change: { status: state }, done: (at) => ({ ...at, state }) });
  if (priority !== null && priority !== record.priority)
    changes.push({ change: { priority }, done: (at) => ({ ...at, priority }) });
  if (title !== null && title !== record.title) changes.push({ change: { title }, done: (at) => ({ ...at, title }) });
  return changes;
};

type Sent = ChangeAnswer | { readonly kind: 'fails'; readonly reason: string };

const wordsOf = (answer: Exclude<Sent, { readonly kind: 'accepted' }>): string =>
  answer.kind === 'unknown_event' ? 'the platform no longer knows the event' : answer.reason;

/** @throws LeftForLater when the platform fails on the change */
const send = async (parts: TakingDependencies, one: OneEvent, change: EventItem): Promise<Sent> => {
  const { events, integrationId, signal, failing } = parts;
  try {
    return await one.call((id) => events.patch(integrationId, id, change, { signal, tries: failing.tries() }));
  } catch (error) {
    if (error instanceof LeftForLater || !(await failing.isHopeless(one.event, error))) throw error;
    return { kind: 'fails', reason: toRelayError(error).message };
  }
};

/** Sends a change; false when it was dead-lettered. @throws as `sendChanges` */
const isTaken = async (parts: TakingDependencies, one: OneEvent, change: EventItem): Promise<boolean> => {
  const answer = await send(parts, one, change);
  if (answer.kind === 'accepted') {
    parts.failing.accepted();
    return true;
  }
  parts.refusals.count += 1;
  await parts.deadLetter({
    eventId: one.event.id,
    item: change,
    reason: wordsOf(answer),
    ...(answer.kind === 'fails' ? { fails: true } : {}),
  });
  return false;
};

/**
 * Finds out whether the platform has an event whose post it may have dropped as a repeat, by a change without effect; an event that it lacks
 * is posted anew.
 * @throws as `sendChanges`
 */
export const confirmPost = async (parts: TakingDependencies, one: OneEvent): Promise<void> => {
  const { unsure, state: status, priority, title } = one.record();
  const known = Object.entries({ status, priority, title }).find(([, value]) => value !== null);
  if (unsure === true && known) await isTaken(parts, one, Object.fromEntries([known]));
};

/**
 * Sends the changes of an event, one call per change, and saves the record after each (platform contract, `pull_events`). A change that the
 * platform refuses, or fails on each time, is dead-lettered and does not block later changes.
 * @throws LeftForLater; RelayError of the platform, the state and the bus
 */
export const sendChanges = async (parts: TakingDependencies, one: OneEvent): Promise<void> => {
  const { tally } = parts;
  let sent = 0;
  for (const { change, done } of changesOf(one.record(), one.event)) {
    if (await isTaken(parts, one, change)) sent += 1;
    await one.save(done(one.record()));
  }
  tally.updates_emitted += sent;
  tally.events_updated += sent > 0 ? 1 : 0;
};
