import { fileJournal } from '../journal/file-journal.ts';
import { memoryJournal, type Journal } from '../journal/journal.ts';
import type { Clock } from '../time/clock.ts';
import { createAnswerLog, type AnswerLog } from './answer-log.ts';
import { createDedup, type Dedup } from './dedup.ts';
import { createDoor, type Door } from './door.ts';
import type { DoorEntry } from './door-entry.ts';
import type { EventBook } from './sensors/parts.ts';
import { createCounting, type Counting } from './stats.ts';

/** What the platform remembers of items; with a file, over a restart too. */
export interface PlatformState {
  readonly door: Door;
  readonly answers: AnswerLog;
  readonly dedup: Dedup;
  readonly counting: Counting;
  readonly events: EventBook;
  close(): void;
}

/** Where the state lives and how much of it. */
export interface StateOptions {
  readonly clock: Clock;
  readonly stateFile?: string | undefined;
  /** Lines of the door log kept in memory without a state file. */
  readonly doorLimit: number;
}

const marking = new Set(['stored', 'duplicate', 'marked']);

/** Opens the state, rebuilding dedup marks, counts and event ids from the file. */
export const openState = ({ clock, stateFile, doorLimit }: StateOptions): PlatformState => {
  const dedup = createDedup(clock);
  const counting = createCounting();
  const events = new Map<string, string>();
  const replay = (line: string): void => {
    const entry = JSON.parse(line) as DoorEntry;
    counting.item(entry);
    if (entry.integration === null || !marking.has(entry.outcome)) return;
    if (entry.kind === 'event' && entry.outcome === 'stored' && entry.object_id !== undefined)
      events.set(entry.object_id, entry.integration);
    if (entry.kind === 'event' || entry.kind === 'observation' || entry.kind === 'message')
      dedup.seen(entry.kind, entry.integration, entry.item as Record<string, unknown>, entry.at);
  };
  const journal: Journal = stateFile === undefined ? memoryJournal(doorLimit) : fileJournal(stateFile, replay);
  const ends = stateFile === undefined ? undefined : fileJournal(`${stateFile}.answers`);
  const answers = createAnswerLog(clock, ends);
  return {
    dedup,
    counting,
    answers,
    door: createDoor(journal, answers, clock),
    events: {
      has: (id, integration) => events.has(id) && events.get(id) === integration,
      add: (id, integration) => void events.set(id, integration),
    },
    close() {
      answers.close();
      ends?.close();
      journal.close();
    },
  };
};
