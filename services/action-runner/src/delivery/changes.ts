import type { ChangeAnswer, EventItem, Events } from '@ranger-relay/platform';
import type { Calls } from './calls.ts';
import { type EventMember, eventMembers, type EventRecord, platformNames } from './record.ts';
import type { Task } from './task.ts';

/** One change to send, and how to update the record once the platform accepted it. */
interface Change {
  readonly item: EventItem;
  done(record: EventRecord): EventRecord;
}

/** The members that differ from what the platform has. A value that the site does not have is not sent. */
const changedMembers = ({ event, stored }: Task): readonly EventMember[] =>
  eventMembers.filter((member) => event[member] !== null && event[member] !== stored.value()[member]);

/**
 * The changes that the platform does not have yet, in sending order: each new note, then state, priority and title (platform contract,
 * `pull_events`).
 */
const changesOf = (task: Task): readonly Change[] => {
  const { event, stored } = task;
  const seen = new Set(stored.value().seen_note_ids);
  const notes = event.notes.filter(({ id }) => !seen.has(id) && seen.add(id));
  return [
    ...notes.map(({ id, note }): Change => ({
      item: { notes: [note] },
      done: (record) => ({ ...record, seen_note_ids: [...record.seen_note_ids, id] }),
    })),
    ...changedMembers(task).map((member): Change => ({
      item: { [platformNames[member]]: event[member] },
      done: (record) => ({ ...record, [member]: event[member] }),
    })),
  ];
};

/**
 * Records members as unknown, and the version too, before their changes are sent: without the answer nobody knows what the platform has, and
 * by then the site may have the recorded value again, which must be sent.
 */
const saveIntent = async (task: Task): Promise<void> => {
  const { stored } = task;
  const changed = changedMembers(task);
  const record = stored.value();
  const isSaved = record.updated_at === null && changed.every((member) => record[member] === null);
  if (changed.length === 0 || isSaved) return;
  const unknown = Object.fromEntries(changed.map((member) => [member, null]));
  await stored.save({ ...record, updated_at: null, ...unknown });
};

const reasonOf = (answer: Exclude<ChangeAnswer, { readonly kind: 'accepted' }>): string =>
  answer.kind === 'unknown_event' ? 'the platform no longer knows the event' : answer.reason;

/**
 * Sends the changes of an event, one call each, and saves the record after each.
 * @returns why the platform refuses some of them; they stay unknown to the record, and hold up no other
 * @throws CallFailed; RelayError of the state; the reason of the signal
 */
export const sendChanges = async (
  { events }: { readonly events: Pick<Events, 'patch'> },
  calls: Calls,
  objectId: string,
  task: Task,
): Promise<readonly string[]> => {
  const { stored } = task;
  const refusals: string[] = [];
  const changes = changesOf(task);
  await saveIntent(task);
  for (const { item, done } of changes) {
    const answer = await calls.make((options) => events.patch(calls.ref.integrationId, objectId, item, options));
    if (answer.kind === 'accepted') await stored.save(done(stored.value()));
    else refusals.push(reasonOf(answer));
  }
  return refusals;
};
