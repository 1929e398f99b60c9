import type { Batch, BusRecord, Outcome } from '@ranger-relay/bus';
import {
  integrationOfKey,
  maybeSentHeader,
  readRecord,
  sourceEventSchema,
  type SourceEvent,
} from '@ranger-relay/contracts';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { Delivered } from './delivered.ts';

const parts = ['observation', 'message'] as const;

/** The two parts of an event. */
export type Part = (typeof parts)[number];

/** One record of a batch, with the parts that are still due. */
export interface Task {
  readonly record: BusRecord;
  readonly event: SourceEvent;
  readonly due: { observation: boolean; message: boolean };
  /** Whether each part may have been sent before: the platform may have marked it as seen without storing it, so a repetition must differ. */
  readonly maybeSent: { [part in Part]: boolean };
  /** The parts that this process was told about: the object id of an accepted part, null for a refused one. */
  readonly answers: Partial<Record<Part, string | null>>;
  /** Of an SOS that is finished: resolves when its acceptance is in the log of SOS. Until then its record is not committed. */
  logged?: Promise<void>;
}

/** A record that cannot be read: damaged, or written by a newer version, which must read it. */
export interface Unreadable {
  readonly record: BusRecord;
  readonly error: RelayError;
  readonly maybeSent: boolean;
  /** True once the record was moved to the parked topic unchanged. */
  parked: boolean;
}

const readTask = (record: BusRecord, isMaybeSentByBus: boolean): Task | Unreadable => {
  const maybeSent = isMaybeSentByBus || record.headers[maybeSentHeader] !== undefined;
  try {
    const event = readRecord(record, sourceEventSchema);
    const due = { observation: event.observation !== null, message: event.message !== null };
    return { record, event, due, maybeSent: { observation: maybeSent, message: maybeSent }, answers: {} };
  } catch (error) {
    if (error instanceof RelayError) return { record, error, maybeSent, parked: false };
    throw error;
  }
};

/** Reads each record of a batch separately; a bad record does not affect the others. */
export const readTasks = ({ records, maybeSent }: Pick<Batch, 'records' | 'maybeSent'>): (Task | Unreadable)[] =>
  records.map((record, index) => readTask(record, maybeSent[index] ?? false));

/** Whether no part of the task is due any more. */
export const isFinished = (task: Task): boolean => !task.due.observation && !task.due.message;

/** Whether what is due of an entry may have been sent before. */
export const isMaybeSent = (entry: Task | Unreadable): boolean =>
  isTask(entry) ? parts.some((part) => entry.due[part] && entry.maybeSent[part]) : entry.maybeSent;

/** Whether the entry is a readable record. */
export const isTask = (entry: Task | Unreadable): entry is Task => 'event' in entry;

/** Whether a newer version wrote the record and it is not parked yet. */
export const isNewer = (entry: Task | Unreadable): entry is Unreadable =>
  !isTask(entry) && entry.error.code === 'record_newer' && !entry.parked;

/** Whether the local bus or store caused the error: it passes with time, and no event is at fault. */
export const isOurs = (error: unknown): boolean =>
  isRelayError(error) && error.next !== 'dead' && error.code !== 'internal';

/** Marks the parts that were delivered before as not due. */
export const applyDelivered = (tasks: readonly Task[], { markOf }: Pick<Delivered, 'markOf'>): void => {
  for (const { event, due } of tasks) {
    const mark = markOf(event);
    if (mark === 'done' || mark === 'observation') due.observation = false;
    if (mark === 'done' || mark === 'message') due.message = false;
  }
};

/** Separates the first task of each event from its repeats; the repeats are marked as finished, and pass their mark on. */
export const collapse = (tasks: readonly Task[]): { unique: Task[]; repeats: Task[] } => {
  const first = new Map<string, Task>();
  const repeats: Task[] = [];
  for (const task of tasks) {
    const known = first.get(task.event.event_id);
    if (!known) {
      first.set(task.event.event_id, task);
      continue;
    }
    repeats.push(task);
    for (const part of parts) known.maybeSent[part] ||= task.maybeSent[part];
    task.due.observation = task.due.message = false;
  }
  return { unique: [...first.values()], repeats };
};

/** The tasks for which this part is due. */
export const dueTasks = (tasks: readonly Task[], part: Part): Task[] => tasks.filter((task) => task.due[part]);

/** What becomes of the entries that are left. */
export interface Left {
  /** When they are delivered again, ms. */
  readonly afterMs: number;
  /** Those that wait apart from the others, each with the later ones of its device. */
  readonly apart: ReadonlySet<Task | Unreadable>;
}

const unreadableOutcome = ({ record, error, maybeSent, parked }: Unreadable, retry: Outcome): Outcome => {
  if (parked) return { kind: 'done' };
  if (error.code === 'record_newer') return { ...retry, ...(maybeSent && { maybeSent }) };
  const letter = {
    kind: 'observation',
    integrationId: integrationOfKey(record.key) || null,
    reason: error.code,
    detail: error.message,
  };
  return { kind: 'dead', letter };
};

/** One outcome per record: finished tasks are done, the others wait. */
export const outcomesOf = (entries: readonly (Task | Unreadable)[], { afterMs, apart }: Left): Outcome[] =>
  entries.map((entry) => {
    const retry: Outcome = { kind: 'retry', afterMs, ...(apart.has(entry) && { apart: true }) };
    if (!isTask(entry)) return unreadableOutcome(entry, retry);
    if (isFinished(entry)) return { kind: 'done', ...(entry.logged && { after: entry.logged }) };
    return { ...retry, ...(isMaybeSent(entry) && { maybeSent: true }) };
  });
