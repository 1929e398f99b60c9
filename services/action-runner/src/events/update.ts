import { toRelayError } from '@ranger-relay/errors';
import type { ChangeAnswer, EventItem } from '@ranger-relay/platform';
import { DroppedByPlatform, type OneEvent } from './one-event.ts';
import type { TakingDependencies } from './parts.ts';
import { type EventMember, eventMembers, type EventRecord, platformNames } from './record.ts';
import type { SiteEvent } from './site-event.ts';

/** One change to send, and how to update the record once the platform accepted it. */
interface Change {
  readonly change: EventItem;
  done(record: EventRecord): EventRecord;
}

/** The members that differ from what the platform has. A value that the site does not have is not sent. */
const changedMembers = (record: EventRecord, event: SiteEvent): readonly EventMember[] =>
  eventMembers.filter((member) => event[member] !== null && event[member] !== record[member]);

/**
 * The changes that the platform does not have yet, in sending order: each new note, then state, priority and title (platform contract,
 * `pull_events`).
 */
const changesOf = (record: EventRecord, event: SiteEvent): readonly Change[] => {
  const seen = new Set(record.seen_note_ids);
  const notes = event.notes.filter(({ id }) => !seen.has(id) && seen.add(id));
  return [
    ...notes.map(({ id, note }): Change => ({
      change: { notes: [note] },
      done: (at) => ({ ...at, seen_note_ids: [...at.seen_note_ids, id] }),
    })),
    ...changedMembers(record, event).map((member): Change => ({
      change: { [platformNames[member]]: event[member] },
      done: (at) => ({ ...at, [member]: event[member] }),
    })),
  ];
};

/**
 * Records members as unknown, and the version too, before their changes are sent. A run that ends before the answer cannot know what the
 * platform has, and by the next run the site may have the recorded value or version again, which must then be sent.
 */
const saveIntent = async (one: OneEvent): Promise<void> => {
  const record = one.record();
  const changed = changedMembers(record, one.event);
  const isSaved = record.updated_at === null && changed.every((member) => record[member] === null);
  if (changed.length === 0 || isSaved) return;
  await one.save({ ...record, updated_at: null, ...Object.fromEntries(changed.map((member) => [member, null])) });
};

type Sent = ChangeAnswer | { readonly kind: 'fails'; readonly reason: string };

const wordsOf = (answer: Exclude<Sent, { readonly kind: 'accepted' }>): string =>
  answer.kind === 'unknown_event' ? 'the platform no longer knows the event' : answer.reason;

/** @throws LeftForLater when the platform fails on the change; DroppedByPlatform */
const send = async (parts: TakingDependencies, one: OneEvent, change: EventItem): Promise<Sent> => {
  const { events, integrationId, signal, failing } = parts;
  try {
    return await one.call((id) => events.patch(integrationId, id, change, { signal, tries: failing.tries() }));
  } catch (error) {
    if (error instanceof DroppedByPlatform || !(await failing.isHopeless(one.event, error))) throw error;
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
    event: one.event,
    item: change,
    reason: wordsOf(answer),
    ...(answer.kind === 'fails' ? { fails: true } : {}),
  });
  return false;
};

/**
 * Sends the changes of an event, one call per change, and saves the record after each (platform contract, `pull_events`). A change that the
 * platform refuses, or fails on each time, is dead-lettered and does not block later changes.
 * @throws LeftForLater; DroppedByPlatform; RelayError of the platform, the state and the bus
 */
export const sendChanges = async (parts: TakingDependencies, one: OneEvent): Promise<void> => {
  const { tally } = parts;
  let sent = 0;
  const changes = changesOf(one.record(), one.event);
  await saveIntent(one);
  for (const { change, done } of changes) {
    if (await isTaken(parts, one, change)) sent += 1;
    await one.save(done(one.record()));
  }
  tally.updates_emitted += sent;
  tally.events_updated += sent > 0 ? 1 : 0;
};
