import type { Batch, Handler, Outcome } from '@ranger-relay/bus';
import { integrationOfKey } from '@ranger-relay/contracts';
import { type ActionState, createActionState } from '@ranger-relay/actions';
import { RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { LaneRef } from '@ranger-relay/platform';
import { type Context, createRateLimitedLog } from '@ranger-relay/runtime';
import { createCalls } from './calls.ts';
import { openedOnce } from './files.ts';
import { isAging, isHandled, isOutdated, openRecord, recordsName } from './record.ts';
import { loneRef, type SendDependencies, sendVersions } from './send-versions.ts';
import { readVersion, type Task, type Version } from './task.ts';

/** Dependencies of the handler. */
export interface DeliveryDependencies extends SendDependencies, Pick<Context, 'clock' | 'conditions'> {
  /** The space of the records of events. */
  readonly space: KvSpace;
  /** Called when an integration that had been failing recovers. */
  onRecovery(): void;
}

/** Wait when nothing says how long, ms. */
const shortWaitMs = 1_000;
/** Wait of a record of a newer version of this program, ms. */
const newerWaitMs = 60_000;

/** A refused key has a condition of its own; nothing waits for an integration that is gone. */
const toldElsewhere: ReadonlySet<string> = new Set(['api_key_refused', 'integration_gone']);

/** Whether no later version of the event takes its place. */
const isNewest = (batch: readonly (Version | RelayError)[], version: Version, index: number): boolean =>
  version.isReplay ||
  !batch.some(
    (other, at) => at > index && 'event' in other && other.record.key === version.record.key && !other.isReplay,
  );

const read = (record: Batch['records'][number]): Version | RelayError => {
  try {
    return readVersion(record);
  } catch (error) {
    if (error instanceof RelayError) return error;
    throw error;
  }
};

const unreadable = ({ code, message }: RelayError, integrationId: string): Outcome =>
  code === 'record_newer'
    ? { kind: 'retry', afterMs: newerWaitMs, apart: true }
    : { kind: 'dead', letter: { kind: 'site_event', integrationId, reason: code, detail: message } };

const isUnsent = ({ stored, event, received_at: receivedAt, isReplay }: Task): boolean => {
  const record = stored.value();
  if (isOutdated(record, event, receivedAt)) return false;
  return isReplay || !isHandled(record, event);
};

/**
 * Creates the handler of `site-events`. It owns the records of events: what the platform has of each. A batch holds events of one integration;
 * of the versions of an event the last one is sent. An event that fails alone waits apart, and delays no other.
 */
export const createDeliveryHandler = (parts: DeliveryDependencies): Handler => {
  const { clock, random, conditions, log, space, tracker, onRecovery } = parts;
  const limitedLog = createRateLimitedLog({ clock, log });

  const onAnswer = (integrationId: string, recovered: boolean): void => {
    conditions.clear('site_events_failing', integrationId);
    if (recovered) onRecovery();
  };

  const stateOf = (integrationId: string, signal: AbortSignal): ActionState =>
    createActionState({ space, tools: { clock, random }, integrationId, actionId: recordsName, signal });

  const report = ({ integrationId }: LaneRef, failure: RelayError): void => {
    if (!toldElsewhere.has(failure.code))
      conditions.set('site_events_failing', integrationId, { reason: failure.message });
    const fields = { integration_id: integrationId, err: failure };
    limitedLog.warn(`${integrationId}.${failure.code}`, fields, 'events of a site cannot be sent; retrying');
  };

  const onStoreAway = (error: RelayError): void =>
    limitedLog.warn(
      error.code,
      { err: error },
      'the store is unavailable; what the platform has accepted waits for it',
    );

  /** Sends what is due. Resolves to the outcome of what is left, by key. */
  const send = async (batch: Batch, ref: LaneRef, versions: readonly Version[]): Promise<Map<string, Outcome>> => {
    const { signal } = batch;
    const state = stateOf(ref.integrationId, signal);
    const tasks: Task[] = await Promise.all(
      versions.map(async (version) => ({ ...version, stored: await openRecord(state, version.event.id, onStoreAway) })),
    );
    const due = tasks.filter(isUnsent);
    for (const { stored, event, received_at } of tasks)
      if (isAging(stored.value(), event, received_at)) await stored.save({ ...stored.value(), received_at });
    if (due.length === 0) return new Map();
    const calls = createCalls({ clock, tracker, onAnswer }, ref, signal);
    const { failure, done, failedAlone, filesDeferred } = await sendVersions(
      { ...parts, openSite: openedOnce(parts.openSite) },
      batch,
      calls,
      due,
    );
    // Without proof that others are taken, no event is at fault.
    const isAtFault = (task: Task): boolean => tracker.othersWork(loneRef(task, ref));
    const told = failure ?? [...failedAlone].find(([task]) => !isAtFault(task))?.[1];
    if (told) report(ref, told);
    const outcomeOf = (task: Task): Outcome => {
      const filesMs = filesDeferred.get(task);
      if (filesMs !== undefined) return { kind: 'retry', afterMs: filesMs, apart: true };
      const isAlone = failedAlone.has(task);
      const afterMs = tracker.waiting(isAlone ? loneRef(task, ref) : ref)?.afterMs ?? shortWaitMs;
      return { kind: 'retry', afterMs, apart: isAlone && isAtFault(task) };
    };
    const left = due.filter((task) => !done.has(task));
    return new Map(left.map((task) => [task.record.key, outcomeOf(task)]));
  };

  return async (batch) => {
    const { records, partition, lane, apart } = batch;
    const key = records[0]?.key ?? lane;
    const integrationId = integrationOfKey(key);
    const ref = { integrationId, lane: apart ? key : `${partition}/${lane}` };
    const wait = tracker.waiting(ref);
    if (wait) return records.map(() => ({ kind: 'retry', afterMs: wait.afterMs }));
    const entries = records.map(read);
    const newest = entries.filter(
      (entry, index): entry is Version => 'event' in entry && isNewest(entries, entry, index),
    );
    // One version of an event is sent at a time.
    const first = new Map<string, Version>();
    for (const version of newest) if (!first.has(version.record.key)) first.set(version.record.key, version);
    const left = await send(batch, ref, [...first.values()]);
    return entries.map((entry): Outcome => {
      if (!('event' in entry)) return unreadable(entry, integrationId);
      const sent = first.get(entry.record.key);
      if (sent !== entry && newest.includes(entry)) return { kind: 'retry', afterMs: shortWaitMs };
      return left.get(entry.record.key) ?? { kind: 'done' };
    });
  };
};
