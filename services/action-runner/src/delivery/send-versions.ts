import type { Batch, DeadLetters } from '@ranger-relay/bus';
import { isRelayError, type RelayError } from '@ranger-relay/errors';
import {
  chunkSize,
  type EventItem,
  type Events,
  type FailureTracker,
  type LaneRef,
  type LoneFailures,
  newDeliveryAttempt,
  sendInChunks,
  type Settle,
} from '@ranger-relay/platform';
import type { Context } from '@ranger-relay/runtime';
import { CallFailed, type Calls } from './calls.ts';
import { sendChanges } from './changes.ts';
import { type FileDependencies, FilesDeferred, hasFilesLeft, sendFiles } from './files.ts';
import { asAttempt, itemOf } from './map-event.ts';
import { isHandled } from './record.ts';
import type { Task } from './task.ts';

/** Dependencies of sending. */
export interface SendDependencies extends FileDependencies, Pick<Context, 'random' | 'clock'> {
  readonly events: Events;
  readonly tracker: FailureTracker;
  readonly loneFailures: LoneFailures;
  readonly deadLetters: DeadLetters;
}

/** How the sending of a batch ended. */
export interface SendResult {
  /** The failure that ended it; undefined when each task is done, or failed alone. */
  readonly failure?: RelayError;
  readonly done: ReadonlySet<Task>;
  readonly failedAlone: ReadonlyMap<Task, RelayError>;
  /** Tasks of which only files are left, and how long these wait for their site, ms. */
  readonly filesDeferred: ReadonlyMap<Task, number>;
}

/** The sending of one batch. */
interface Sending extends SendDependencies {
  readonly calls: Calls;
  /** Number of deliveries of the batch. */
  readonly attempts: number;
  readonly done: Set<Task>;
  readonly failedAlone: Map<Task, RelayError>;
  readonly filesDeferred: Map<Task, number>;
  readonly apart: boolean;
  /** Failures since the last answer. */
  inARow: number;
}

/** With more failures in a row than this, no event is at fault. */
const maxInARow = 3;

/** Lane of an event that waits apart. */
export const loneRef = ({ record }: Pick<Task, 'record'>, { integrationId }: LaneRef): LaneRef => ({
  integrationId,
  lane: record.key,
});

const itemToPost = ({ event, site, type_name: typeName }: Task): EventItem | undefined =>
  itemOf(event, { site, typeName });

const finish = async ({ loneFailures, done }: Sending, task: Task): Promise<void> => {
  const { stored, event, received_at } = task;
  const record = stored.value();
  if (!isHandled(record, event)) await stored.save({ ...record, updated_at: event.updatedAt, received_at });
  loneFailures.forget(task.record.key);
  done.add(task);
};

const refusedTitle = 'The platform refuses some events or changes; they are in the dead letters';
const failingTitle = 'The platform fails on an event each time; replay its dead letter once the platform is fixed';

const filesTitle = 'The site does not return a file of an event; replay its dead letter once it does';

/** Stores what is left of a version as a dead letter; a replay of it sends exactly that. */
const giveUp = async (
  sending: Sending,
  task: Task,
  reason: string,
  detail: string,
  title = refusedTitle,
): Promise<void> => {
  const { calls, deadLetters, reporter, attempts } = sending;
  const { integrationId } = calls.ref;
  const { record, event } = task;
  calls.signal.throwIfAborted();
  const facts = { kind: 'site_event', integrationId, reason, detail, attempts, headers: { event: event.id } } as const;
  await deadLetters.write(
    { ...facts, body: record.value, receivedAt: record.timestamp, origin: record },
    { key: record.key },
  );
  reporter.warnHourly(integrationId, title, { event: event.id, serial_number: event.serial });
  await finish(sending, task);
};

/** Lets an event wait by itself on which the platform fails. @throws the failure when no event is at fault */
const passOver = async (sending: Sending, task: Task, failed: CallFailed): Promise<void> => {
  const { calls, tracker, loneFailures, log } = sending;
  const { integrationId } = calls.ref;
  const { failure, startedAt } = failed;
  sending.inARow += 1;
  if (!failure.ambiguous || sending.inARow > maxInARow) throw failed;
  log.warn({ err: failure, integration_id: integrationId, event: task.event.id }, 'the platform fails on an event');
  tracker.failed(loneRef(task, calls.ref), failure, startedAt);
  if (loneFailures.isHopeless({ item: task.record.key, integrationId }, tracker))
    await giveUp(sending, task, 'item_fails', failure.message, failingTitle);
  else sending.failedAlone.set(task, failure);
};

/** Lets an event wait by itself for the files of its site. */
const deferFiles = async (sending: Sending, task: Task, { afterMs, failure }: FilesDeferred): Promise<void> => {
  const { calls, tracker, loneFailures, log, filesDeferred } = sending;
  const { integrationId } = calls.ref;
  const item = task.record.key;
  if (failure) log.warn({ err: failure, integration_id: integrationId, event: task.event.id }, 'a file has to wait');
  if (failure && loneFailures.isHopeless({ item, integrationId }, tracker))
    await giveUp(sending, task, failure.code, failure.message, filesTitle);
  else filesDeferred.set(task, afterMs);
};

/** Records a post that the platform has accepted. */
const accepted = async ({ loneFailures, done }: Sending, task: Task, id: string): Promise<void> => {
  const { stored, event, received_at } = task;
  const { state, priority, title } = event;
  const record = { object_id: id, state, priority, title, seen_note_ids: [], seen_file_ids: [] };
  const isWhole = event.notes.length === 0 && !hasFilesLeft(task);
  await stored.save({ ...record, received_at, updated_at: isWhole ? event.updatedAt : null });
  loneFailures.forget(task.record.key);
  if (isWhole) done.add(task);
};

/** What to do with the answer to a list of posts. @param again takes the tasks of a list that is to be repeated one by one */
const settleOf = (sending: Sending, again: Task[]): Settle<Task> => ({
  async accepted(list, { ids }) {
    sending.inARow = 0;
    const given = ids.filter((id) => id !== undefined);
    // Each for itself: what is not recorded is posted again.
    const saved = await Promise.allSettled(list.map((task, index) => accepted(sending, task, given[index] ?? '')));
    for (const each of saved) if (each.status === 'rejected') throw each.reason;
  },
  refused: (task, code, reason) => giveUp(sending, task, code, reason),
  async failed(list, error) {
    const [task, ...others] = list;
    const failed = isRelayError(error) ? new CallFailed(error, sending.clock.monotonic()) : error;
    if (!(failed instanceof CallFailed) || !failed.failure.ambiguous) throw error;
    if (task && others.length === 0) await passOver(sending, task, failed);
    else again.push(...list);
    return 'leave';
  },
});

/** Whether the event has failed alone: then others go first. */
const isSuspect = ({ loneFailures }: Sending, { record }: Task): boolean => loneFailures.has(record.key);

/** Posts events that the platform does not have. */
const postAll = async (sending: Sending, missing: readonly Task[]): Promise<void> => {
  const { calls, events, random, tracker } = sending;
  const { integrationId } = calls.ref;
  const again: Task[] = [];
  const settle = settleOf(sending, again);
  const post = (list: readonly Task[]) => {
    const items = list.map((task) => asAttempt(itemToPost(task) ?? {}, newDeliveryAttempt(random)));
    return calls.make((options) => events.post(integrationId, items, options));
  };
  const suspects = missing.filter((task) => isSuspect(sending, task));
  const others = missing.filter((task) => !suspects.includes(task));
  // An integration that asked for a wait gets one item.
  await sendInChunks(others, post, settle, () => (tracker.isProbing(integrationId) ? 1 : chunkSize));
  // Each alone: one that fails, or hangs, delays the others once.
  await sendInChunks([...again, ...suspects], post, settle, () => 1);
};

/** Sends what the platform lacks of an event that it has. */
const update = async (sending: Sending, task: Task, objectId: string): Promise<void> => {
  const { calls, loneFailures } = sending;
  const own: Calls = {
    ...calls,
    // An event that makes progress, call by call, is none on which the platform fails.
    async make(call) {
      const answer = await calls.make(call);
      loneFailures.forget(task.record.key);
      sending.inARow = 0;
      return answer;
    },
  };
  const refusals = await sendChanges(sending, own, objectId, task);
  await sendFiles(sending, own, objectId, task);
  if (refusals.length > 0) await giveUp(sending, task, 'item_refused', refusals.join('; '));
  else await finish(sending, task);
};

const updateAll = async (sending: Sending, tasks: readonly Task[]): Promise<void> => {
  const { done, failedAlone } = sending;
  // What may take long goes last.
  const rankOf = (task: Task): number => Number(hasFilesLeft(task)) + 2 * Number(isSuspect(sending, task));
  for (const task of tasks.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const { object_id: id } = task.stored.value();
    if (id === null || done.has(task) || failedAlone.has(task)) continue;
    await update(sending, task, id).catch(async (error: unknown) => {
      if (error instanceof FilesDeferred) return deferFiles(sending, task, error);
      if (error instanceof CallFailed) return passOver(sending, task, error);
      throw error;
    });
  }
};

/** Posts and updates. @throws CallFailed when no event is at fault */
const sendAll = async (sending: Sending, tasks: readonly Task[]): Promise<void> => {
  const missing = tasks.filter(({ stored }) => stored.value().object_id === null);
  const timeless = missing.filter((task) => itemToPost(task) === undefined);
  for (const task of timeless)
    await giveUp(sending, task, 'item_refused', 'the event has neither a time nor a date of creation');
  const timed = missing.filter((task) => !timeless.includes(task));
  await postAll(sending, timed);
  await updateAll(sending, tasks);
};

/**
 * Sends versions of different events of one integration (platform contract, `pull_events`): posts the events that the platform does not have, in
 * lists, then what it lacks of each. Each post differs from every other one, because the platform drops what equals an earlier post and answers
 * with an id of nothing.
 */
export const sendVersions = async (
  parts: SendDependencies,
  { attempt, apart }: Pick<Batch, 'attempt' | 'apart'>,
  calls: Calls,
  tasks: readonly Task[],
): Promise<SendResult> => {
  const { tracker } = parts;
  const result = {
    done: new Set<Task>(),
    failedAlone: new Map<Task, RelayError>(),
    filesDeferred: new Map<Task, number>(),
  };
  const sending: Sending = { ...parts, ...result, calls, apart, attempts: attempt + 1, inARow: 0 };
  try {
    await sendAll(sending, tasks);
    return result;
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    const { failure, startedAt } = error;
    tracker.failed(calls.ref, failure, startedAt);
    if (!isRelayError(failure, 'integration_gone') || !tracker.isGone(calls.ref.integrationId))
      return { ...result, failure };
    for (const task of tasks)
      if (!result.done.has(task)) await giveUp(sending, task, 'integration_gone', failure.message);
    return { ...result, failedAlone: new Map() };
  }
};
