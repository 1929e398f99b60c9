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
import { type FileDependencies, hasFilesLeft, sendFiles } from './files.ts';
import { asAttempt, itemOf } from './map-event.ts';
import { isHandled } from './record.ts';
import type { Task } from './task.ts';

/** Dependencies of sending. */
export interface SendDependencies extends FileDependencies, Pick<Context, 'log' | 'random' | 'clock'> {
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

/**
 * Sends versions of different events of one integration (platform contract, `pull_events`): posts the events that the platform does not have, in
 * lists, then what it lacks of each. Each post differs from every other one, because the platform drops what equals an earlier post and answers
 * with an id of nothing.
 */
export const sendVersions = async (
  parts: SendDependencies,
  batch: Pick<Batch, 'attempt'>,
  calls: Calls,
  tasks: readonly Task[],
): Promise<SendResult> => {
  const { clock, events, random, tracker, loneFailures, deadLetters, reporter, log } = parts;
  const { ref } = calls;
  const { integrationId } = ref;
  const done = new Set<Task>();
  const alone = new Map<Task, RelayError>();
  let inARow = 0;

  /** Whether the event has failed alone: then others go first. */
  const isSuspect = ({ record }: Task): boolean => loneFailures.has(record.key);

  const finish = async (task: Task): Promise<void> => {
    const { stored, event, received_at } = task;
    const record = stored.value();
    if (!isHandled(record, event)) await stored.save({ ...record, updated_at: event.updatedAt, received_at });
    loneFailures.forget(task.record.key);
    done.add(task);
  };

  /** Stores what is left of a version as a dead letter; a replay of it sends exactly that. */
  const giveUp = async (task: Task, reason: string, detail: string): Promise<void> => {
    const { record, event } = task;
    calls.signal.throwIfAborted();
    await deadLetters.write(
      {
        kind: 'site_event',
        integrationId,
        reason,
        detail,
        body: record.value,
        receivedAt: record.timestamp,
        attempts: batch.attempt + 1,
        origin: record,
        headers: { event: event.id },
      },
      { key: record.key },
    );
    const title =
      reason === 'item_fails'
        ? 'The platform fails on an event each time; replay its dead letter once the platform is fixed'
        : 'The platform refuses some events or changes; they are in the dead letters';
    reporter.warnHourly(integrationId, title, { event: event.id, serial_number: event.serial });
    await finish(task);
  };

  /** @throws the failure when no event is at fault */
  const failedAlone = async (task: Task, failed: CallFailed): Promise<void> => {
    const { failure, startedAt } = failed;
    inARow += 1;
    if (!failure.ambiguous || inARow > maxInARow) throw failed;
    log.warn({ err: failure, integration_id: integrationId, event: task.event.id }, 'the platform fails on an event');
    tracker.failed(loneRef(task, ref), failure, startedAt);
    if (loneFailures.isHopeless({ item: task.record.key, integrationId }, tracker))
      return giveUp(task, 'item_fails', failure.message);
    alone.set(task, failure);
  };

  /** An integration that asked for a wait gets one item. */
  const size = (): number => (tracker.isProbing(integrationId) ? 1 : chunkSize);

  const post = (list: readonly Task[]) => {
    const items = list.map((task) => asAttempt(itemToPost(task) ?? {}, newDeliveryAttempt(random)));
    return calls.make((options) => events.post(integrationId, items, options));
  };

  const accepted = async (task: Task, id: string): Promise<void> => {
    const { stored, event, received_at } = task;
    const { state, priority, title } = event;
    const record = { object_id: id, state, priority, title, seen_note_ids: [], seen_file_ids: [] };
    const isWhole = event.notes.length === 0 && !hasFilesLeft(task);
    await stored.save({ ...record, received_at, updated_at: isWhole ? event.updatedAt : null });
    loneFailures.forget(task.record.key);
    if (isWhole) done.add(task);
  };

  const postAll = async (missing: readonly Task[]): Promise<void> => {
    const again: Task[] = [];
    const settle: Settle<Task> = {
      async accepted(list, { ids }) {
        inARow = 0;
        const given = ids.filter((id) => id !== undefined);
        await Promise.all(list.map((task, index) => accepted(task, given[index] ?? '')));
      },
      refused: (task, code, reason) => giveUp(task, code, reason),
      async failed(list, error) {
        const [task, ...others] = list;
        const failed = isRelayError(error) ? new CallFailed(error, clock.monotonic()) : error;
        if (!(failed instanceof CallFailed) || !failed.failure.ambiguous) throw error;
        if (task && others.length === 0) await failedAlone(task, failed);
        else again.push(...list);
        return 'leave';
      },
    };
    await sendInChunks(
      missing.filter((task) => !isSuspect(task)),
      post,
      settle,
      size,
    );
    // Each alone: one that fails, or hangs, delays the others once.
    await sendInChunks([...again, ...missing.filter(isSuspect)], post, settle, () => 1);
  };

  /** An event that makes progress, call by call, is none on which the platform fails. */
  const callsOf = ({ record }: Task): Calls => ({
    ...calls,
    async make(call) {
      const answer = await calls.make(call);
      loneFailures.forget(record.key);
      inARow = 0;
      return answer;
    },
  });

  /** Sends what the platform lacks of an event that it has. */
  const update = async (task: Task, objectId: string): Promise<void> => {
    const own = callsOf(task);
    const refusals = await sendChanges(parts, own, objectId, task);
    await sendFiles(parts, own, objectId, task);
    if (refusals.length > 0) return giveUp(task, 'item_refused', refusals.join('; '));
    await finish(task);
  };

  const updateAll = async (): Promise<void> => {
    for (const task of tasks.toSorted((a, b) => Number(isSuspect(a)) - Number(isSuspect(b)))) {
      const { object_id: id } = task.stored.value();
      if (id === null || done.has(task) || alone.has(task)) continue;
      await update(task, id).catch(async (error: unknown) => {
        if (!(error instanceof CallFailed)) throw error;
        await failedAlone(task, error);
      });
    }
  };

  try {
    const missing = tasks.filter(({ stored }) => stored.value().object_id === null);
    const timeless = missing.filter((task) => itemToPost(task) === undefined);
    for (const task of timeless)
      await giveUp(task, 'item_refused', 'the event has neither a time nor a date of creation');
    await postAll(missing.filter((task) => !timeless.includes(task)));
    await updateAll();
    return { done, failedAlone: alone };
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    const { failure, startedAt } = error;
    tracker.failed(ref, failure, startedAt);
    if (!isRelayError(failure, 'integration_gone') || !tracker.isGone(integrationId))
      return { failure, done, failedAlone: alone };
    for (const task of tasks) if (!done.has(task)) await giveUp(task, 'integration_gone', failure.message);
    return { done, failedAlone: new Map() };
  }
};
