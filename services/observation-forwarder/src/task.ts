import type { BusRecord, Outcome } from '@ranger-relay/bus';
import { integrationOfKey, sourceEventSchema, type SourceEvent } from '@ranger-relay/contracts';
import { parseExactJson, RelayError } from '@ranger-relay/errors';
import type { Claim } from './dedup/claims.ts';
import { triesIn, type Part, type TryCounts } from './dedup/tries.ts';

/** One record of a batch, with the parts that are still due. */
export interface Task {
  readonly record: BusRecord;
  readonly event: SourceEvent;
  readonly due: { observation: boolean; message: boolean };
  readonly tries: TryCounts;
  /** The parts that this process was told about: the object id of an accepted part, null for a refused one. */
  readonly answers: Partial<Record<Part, string | null>>;
  /** True when another worker holds the event, or an earlier event of the batch. */
  held: boolean;
}

/** A record that cannot be read: damaged, or written by a newer version, which must read it. */
export interface Unreadable {
  readonly record: BusRecord;
  readonly error: RelayError;
  /** True once the record was moved to the parked topic unchanged. */
  parked: boolean;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

const unreadable = (record: BusRecord, problem: string): RelayError =>
  new RelayError('record_unreadable', { details: { topic: record.topic, problem } });

const parse = (record: BusRecord): unknown => {
  try {
    return parseExactJson(decoder.decode(record.value));
  } catch {
    throw unreadable(record, 'not JSON');
  }
};

const versionOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'v' in value ? value.v : undefined;

/**
 * Reads the event of a record.
 * @throws RelayError `record_newer` when a newer version wrote it; `record_unreadable` when it is not JSON or no SourceEvent
 */
const readEvent = (record: BusRecord): SourceEvent => {
  const value = parse(record);
  const parsed = sourceEventSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const version = versionOf(value);
  if (Number.isSafeInteger(version) && Number(version) > 1)
    throw new RelayError('record_newer', { details: { topic: record.topic, version: Number(version) } });
  const where = parsed.error.issues[0]?.path.join('.') ?? '';
  throw unreadable(record, `${where || 'the value'} does not fit`);
};

const readTask = (record: BusRecord): Task | Unreadable => {
  try {
    const event = readEvent(record);
    const due = { observation: event.observation !== null, message: event.message !== null };
    return { record, event, due, tries: triesIn(record.headers), answers: {}, held: false };
  } catch (error) {
    if (error instanceof RelayError) return { record, error, parked: false };
    throw error;
  }
};

/** Reads each record of a batch separately; a bad record does not affect the others. */
export const readTasks = (records: readonly BusRecord[]): (Task | Unreadable)[] => records.map(readTask);

/** Whether no part of the task is due any more. */
export const isFinished = (task: Task): boolean => !task.due.observation && !task.due.message;

/** Whether the entry is a readable record. */
export const isTask = (entry: Task | Unreadable): entry is Task => 'event' in entry;

/** Whether a newer version wrote the record and it is not parked yet. */
export const isNewer = (entry: Task | Unreadable): entry is Unreadable =>
  !isTask(entry) && entry.error.code === 'record_newer' && !entry.parked;

/** Applies the claims to the tasks. The first task that another worker holds, and all tasks after it, are held back. */
export const applyClaims = (tasks: readonly Task[], claims: readonly Claim[]): void => {
  let held = false;
  tasks.forEach((task, index) => {
    const claim = claims[index];
    held ||= claim === 'busy';
    task.held = held;
    if (claim === 'done') task.due.observation = task.due.message = false;
    if (claim === 'message') task.due.observation = false;
    if (claim === 'again') task.tries.observation = Math.max(task.tries.observation, 1);
  });
};

/** Separates the first task of each event from its repeats; the repeats are marked as finished. */
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

/** The tasks that may be sent now and for which this part is due. */
export const owing = (tasks: readonly Task[], part: Part): Task[] =>
  tasks.filter((task) => !task.held && task.due[part]);

const unreadableOutcome = ({ record, error, parked }: Unreadable, rest: Outcome): Outcome => {
  if (parked) return { kind: 'done' };
  if (error.code === 'record_newer') return rest;
  const letter = {
    kind: 'observation',
    integrationId: integrationOfKey(record.key) || null,
    reason: error.code,
    detail: error.message,
  };
  return { kind: 'dead', letter };
};

/** One outcome per record: finished tasks are done; the others have the outcome of the rest. */
export const outcomesOf = (entries: readonly (Task | Unreadable)[], rest: Outcome): Outcome[] =>
  entries.map((entry) => {
    if (!isTask(entry)) return unreadableOutcome(entry, rest);
    return isFinished(entry) ? { kind: 'done' } : rest;
  });
