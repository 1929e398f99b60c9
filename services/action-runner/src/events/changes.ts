import type { EventItem } from '@ranger-relay/platform';
import type { EventRecord } from './record.ts';
import type { SiteEvent } from './site-event.ts';

/** One change to send, and the record once the platform has it. */
export interface Change {
  readonly change: EventItem;
  done(record: EventRecord): EventRecord;
}

/**
 * What the platform does not have of an event yet, in the order in which it is sent: each new note, then state, priority and title
 * (platform contract, `pull_events`). What the site has no value for is not sent.
 */
export const changesOf = (record: EventRecord, { notes, state, priority, title }: SiteEvent): readonly Change[] => {
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
