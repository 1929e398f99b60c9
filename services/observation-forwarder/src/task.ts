import { isRelayError, type RelayError } from '@ranger-relay/errors';
import type { BusRecord, Outcome } from '@ranger-relay/bus';
import { integrationOfKey, type SourceEvent } from '@ranger-relay/contracts';
import type { Part } from './attempts.ts';
import type { Claim } from './claims.ts';
import { readItem } from './item.ts';

/** One record of a batch on its way: what of it is still due. */
export interface Task {
  readonly record: BusRecord;
  readonly event: SourceEvent;
  readonly due: { observation: boolean; message: boolean };
  /** Another worker has it, or it comes behind one that another worker has. */
  held: boolean;
}

/** A record that cannot be read. */
export interface Unreadable {
  readonly record: BusRecord;
  readonly error: RelayError;
}

/** Nothing of it is due any more. */
export const isFinished = (task: Task): boolean => !task.due.observation && !task.due.message;

/** Reads every record of a batch alone; a bad one takes no neighbour with it. */
export const readTasks = (records: readonly BusRecord[]): (Task | Unreadable)[] =>
  records.map((record) => {
    try {
      const { event } = readItem(record);
      return {
        record,
        event,
        due: { observation: event.observation !== null, message: event.message !== null },
        held: false,
      };
    } catch (error) {
      if (!isRelayError(error)) throw error;
      return { record, error };
    }
  });

/** Narrows to the readable ones. */
export const isTask = (entry: Task | Unreadable): entry is Task => 'event' in entry;

/** Notes what the store knows; the first one that another worker has, and all behind it, are held back. */
export const applyClaims = (tasks: readonly Task[], claims: readonly Claim[]): void => {
  let held = false;
  tasks.forEach((task, index) => {
    const claim = claims[index];
    held ||= claim === 'busy';
    task.held = held;
    if (claim === 'done') task.due.observation = task.due.message = false;
    if (claim === 'message') task.due.observation = false;
  });
};

/** The first task of each event; later ones of the same event ride along as finished. */
export const collapse = (tasks: readonly Task[]): { unique: Task[]; repeats: Task[] } => {
  const seen = new Set<string>();
  const unique: Task[] = [];
  const repeats: Task[] = [];
  for (const task of tasks) {
    (seen.has(task.event.event_id) ? repeats : unique).push(task);
    seen.add(task.event.event_id);
  }
  for (const repeat of repeats) repeat.due.observation = repeat.due.message = false;
  return { unique, repeats };
};

/** Tasks that may be sent now and still owe this part. */
export const owing = (tasks: readonly Task[], part: Part): Task[] =>
  tasks.filter((task) => !task.held && task.due[part]);

const deadUnreadable = ({ record, error }: Unreadable): Outcome => ({
  kind: 'dead',
  letter: {
    kind: 'observation',
    integrationId: integrationOfKey(record.key) || null,
    reason: error.code,
    detail: error.message,
  },
});

/** One outcome per record: done up to the first task that is not finished, which waits `afterMs` with all behind it. */
export const outcomesOf = (entries: readonly (Task | Unreadable)[], afterMs: number): Outcome[] =>
  entries.map((entry) => {
    if (!isTask(entry)) return deadUnreadable(entry);
    return isFinished(entry) ? { kind: 'done' } : { kind: 'retry', afterMs };
  });
