import type { Batch, DeadLetters, Handler } from '@ranger-relay/bus';
import { integrationOfKey, maybeSentHeader, type Message, type Observation } from '@ranger-relay/contracts';
import { type RelayError, toRelayError } from '@ranger-relay/errors';
import type { FailureTracker, LaneRef, LoneFailures } from '@ranger-relay/platform';
import { type ConditionName, type Context, createRateLimitedLog } from '@ranger-relay/runtime';
import type { ActivityReporter } from './activity-reporter.ts';
import type { DeliveredRecords } from './delivered.ts';
import type { Parking } from './parking.ts';
import type { PostQueue } from './post-queue.ts';
import type { Refusals } from './refusals.ts';
import { SendBatch, type SendResult } from './send-batch.ts';
import type { SosDelivery } from './sos-delivery.ts';
import type { SosWatch } from './sos-watch.ts';
import type { Counts } from './tally.ts';
import {
  applyDelivered,
  collapse,
  isFinished,
  isNewer,
  isMaybeSent,
  isOurs,
  isTask,
  outcomesOf,
  type Left,
  readTasks,
  type Task,
  type Unreadable,
} from './task.ts';

/**
 * One of the three routes of events to the platform, each with its own connections, limits and retries. Live events that must not delay
 * others are parked; parked events and emergencies wait in place.
 */
export interface Route {
  readonly name: 'live' | 'parked' | 'emergency';
  readonly observations: PostQueue<Observation>;
  readonly messages: PostQueue<Message>;
  readonly tracker: FailureTracker;
}

/** Dependencies of forwarding, shared by every route. */
export interface ForwardDependencies {
  readonly context: Pick<Context, 'clock' | 'random' | 'log' | 'metrics' | 'conditions'>;
  readonly deadLetters: DeadLetters;
  readonly counts: Counts;
  readonly delivered: DeliveredRecords;
  readonly loneFailures: LoneFailures;
  readonly refusals: Refusals;
  readonly parking: Parking;
  readonly reporter: ActivityReporter;
  readonly sosWatch: SosWatch;
  readonly sosDelivery: SosDelivery;
  /** Records a response of the platform; a recovery ends the waits of all lanes. */
  readonly succeeded: (route: Route, ref: LaneRef) => void;
}

/** Wait when the local bus or store delays a batch, ms. */
const shortWaitMs = 1_000;

/**
 * The handler rechecks a lane that may still be parked after this time, however long its integration waits: other integrations must not
 * wait behind it (device contract, forwarder: transient), ms.
 */
const recheckMs = 10_000;

/** The end of the parked partition is read soon after its assignment, ms. */
const unknownMs = 100;

/** After this time the conditions of the platform tell of a failure, if it is the whole platform's, ms. */
const unsaidMs = 15_000;

/** Conditions whose lines say that sending fails: for one integration, or for all. */
const tellingOfIntegration = ['api_key_refused', 'forwarding_failing', 'refusals_held'] as const;
const tellingOfAll: ReadonlySet<ConditionName> = new Set(['platform_unavailable', 'platform_credentials_refused']);

type Entry = Task | Unreadable;

/** The tasks before the first record of a newer version; later records wait with it. */
const sendable = (entries: readonly Entry[]): Task[] => {
  const end = entries.findIndex(isNewer);
  return entries.slice(0, end < 0 ? undefined : end).filter(isTask);
};

const isLeft = (entry: Entry): boolean => (isTask(entry) ? !isFinished(entry) : isNewer(entry));

/**
 * Creates the handler of one route. A batch holds events of one integration from one partition (device contract, forwarder): read → report
 * SOS → park, wait or send → one outcome per record.
 */
export const createForwardHandler = (deps: ForwardDependencies, route: Route): Handler => {
  const { context, parking, reporter, sosWatch } = deps;
  const { metrics, log } = context;
  const { tracker } = route;
  const isParkable = route.name === 'live';
  const limitedLog = createRateLimitedLog(context);

  const laneName = ({ partition }: Batch): string => `${route.name === 'live' ? 's' : route.name[0]}${partition}`;

  const refOf = (batch: Batch): LaneRef => ({
    integrationId: integrationOfKey(batch.records[0]?.key ?? batch.lane),
    lane: `${route.name}/${batch.partition}/${batch.lane}`,
  });

  /** Moves the unfinished records to the parked topic. Returns those that it refuses: they wait, each with the later ones of its device. */
  const park = async (batch: Batch, { integrationId }: LaneRef, entries: readonly Entry[]): Promise<Set<Entry>> => {
    const left = entries.filter(isLeft);
    if (batch.signal.aborted || left.length === 0) return new Set();
    const records = left.map((entry) => ({
      entry,
      record: entry.record,
      headers: isMaybeSent(entry) ? { [maybeSentHeader]: 'yes' } : {},
    }));
    const refused = new Set((await parking.park(records)).map(({ entry }) => entry));
    const parked = left.filter((entry) => !refused.has(entry));
    metrics.count('relay_events_parked_total', {}, parked.length);
    if (parked.length > 0) log.info({ integration_id: integrationId, count: parked.length }, 'events were parked');
    const fields = { integration_id: integrationId, count: refused.size };
    if (refused.size > 0) limitedLog.error(integrationId, fields, 'the parked topic refuses events for their size');
    for (const entry of parked)
      if (isTask(entry)) entry.due.observation = entry.due.message = false;
      else entry.parked = true;
    return refused;
  };

  /** Leaves out what was delivered before, and repeats within the batch. */
  const deduplicate = async (tasks: readonly Task[]) => {
    const { unique, repeats } = collapse(tasks);
    const delivered = await deps.delivered.read(unique.map(({ event }) => event));
    applyDelivered(unique, delivered);
    const done = unique.filter(isFinished);
    for (const task of done) if (task.event.sos) deps.sosDelivery.repeated(task);
    metrics.count('relay_events_duplicate_total', {}, repeats.length + done.length);
    metrics.count('relay_events_undeduplicated_total', {}, delivered.isKnown ? 0 : unique.length - done.length);
    return { unique, delivered };
  };

  const send = async (batch: Batch, ref: LaneRef, tasks: readonly Task[]): Promise<SendResult> => {
    const [count, { unique, delivered }] = await Promise.all([
      deps.counts.open(ref.integrationId, laneName(batch)),
      deduplicate(tasks),
    ]);
    try {
      return await new SendBatch(deps, route, { ref, batch, tasks: unique, delivered, count }).send();
    } finally {
      count.close();
    }
  };

  const isToldOfAll = (): boolean => context.conditions.active().some(({ name }) => tellingOfAll.has(name));

  /** Their lines tell of the failure since when and why, once a minute. */
  const isTold = ({ integrationId }: LaneRef): boolean =>
    tellingOfIntegration.some((name) => context.conditions.find(name, integrationId)) || isToldOfAll();

  /** Whether the failures of a lane have a cause of their own: others are accepted, or nothing is said of the whole platform by now. */
  const isOwn = (ref: LaneRef, { retryAfterMs = 0 }: RelayError): boolean => {
    if (tracker.othersWork(ref)) return true;
    return (tracker.failingMs(ref) >= unsaidMs || retryAfterMs >= unsaidMs) && !isToldOfAll();
  };

  const report = (ref: LaneRef, failure: RelayError, parked: boolean): void => {
    const { integrationId } = ref;
    // The refused key and a platform that takes nothing have conditions of their own; nothing waits for an integration that is gone.
    if (tracker.isGone(integrationId)) context.conditions.clear('forwarding_failing', integrationId);
    else if (failure.code !== 'api_key_refused' && isOwn(ref, failure))
      context.conditions.set('forwarding_failing', integrationId, { reason: failure.message });
    if (isTold(ref)) return;
    const afterMs = Math.round(tracker.waiting(ref)?.afterMs ?? 0);
    // A platform that is down fails every integration in the same way: that is one cause.
    limitedLog.warn(
      failure.confined || parked ? `${integrationId}.${failure.code}` : failure.code,
      { integration_id: integrationId, err: failure, retry_after_ms: afterMs, parked },
      'sending failed; retrying',
    );
  };

  const waitOf = (ref: LaneRef): number => {
    const afterMs = tracker.waiting(ref)?.afterMs ?? shortWaitMs;
    return isParkable ? Math.min(afterMs, recheckMs) : afterMs;
  };

  /** A record of a newer version waits for that version. It counts as a failure of its lane, so that the lane is parked eventually. */
  const noteNewer = (ref: LaneRef, entries: readonly Entry[]): void => {
    const newer = entries.find(isNewer);
    if (!newer) return;
    metrics.count('relay_forward_failures_total', { code: newer.error.code });
    const fields = { integration_id: ref.integrationId, err: newer.error };
    limitedLog.error(ref.integrationId, fields, 'a record waits for a newer version');
    tracker.failed(ref, newer.error, context.clock.monotonic());
  };

  /** A device that waits apart makes no room for others: its events are parked behind earlier ones only. */
  const mayPark = ({ apart }: Batch): boolean => isParkable && !apart && parking.possible();

  /** Sends events that may be sent now and parks those that must make room. */
  const sendOrPark = async (batch: Batch, ref: LaneRef, entries: readonly Entry[]): Promise<Left> => {
    const left = (apart: ReadonlySet<Entry> = new Set()): Left => ({ afterMs: waitOf(ref), apart });
    if (mayPark(batch) && tracker.shouldPark(ref)) return left(await park(batch, ref, entries));
    if (tracker.waiting(ref)) return left();
    const tasks = sendable(entries);
    if (tasks.length === 0) {
      noteNewer(ref, entries);
      return left();
    }
    const { failure, isolated } = await send(batch, ref, tasks);
    const parks = mayPark(batch) && (isolated || tracker.shouldPark(ref));
    if (failure) report(ref, failure, parks);
    return left(parks ? await park(batch, ref, entries) : undefined);
  };

  /**
   * Forwards the events of devices without earlier ones on the parked topic, then parks the others, but for those behind the first event that
   * waits with the lane: its next delivery brings them again, and they would be parked again.
   */
  const forward = async (batch: Batch, ref: LaneRef, entries: readonly Entry[]): Promise<Left> => {
    if (!isParkable) return sendOrPark(batch, ref, entries);
    const isBehind = new Map(entries.map(({ record: { key } }) => [key, parking.holds(batch.partition, key)]));
    const others = entries.filter(({ record: { key } }) => isBehind.get(key) === false);
    const { afterMs, apart } = others.some(isLeft)
      ? await sendOrPark(batch, ref, others)
      : { afterMs: waitOf(ref), apart: new Set<Entry>() };
    const waiting = entries.findIndex(
      (entry) => isBehind.get(entry.record.key) !== true && isLeft(entry) && !apart.has(entry),
    );
    const behind = entries
      .slice(0, waiting < 0 ? undefined : waiting)
      .filter(({ record: { key } }) => isBehind.get(key) === true);
    const refused = await park(batch, ref, behind);
    return { afterMs, apart: new Set([...apart, ...refused]) };
  };

  const handle = async (batch: Batch, ref: LaneRef, entries: readonly Entry[]): Promise<Left> => {
    const tasks = entries.filter(isTask);
    sosWatch.note(batch, tasks);
    await Promise.all(tasks.filter(({ event }) => event.sos).map(({ event }) => reporter.sos(event)));
    const left = await forward(batch, ref, entries);
    sosWatch.note(batch, tasks);
    return left;
  };

  /** Whether it is not known yet which devices have events on the parked topic. */
  const isUnknown = ({ partition, records }: Batch): boolean =>
    isParkable && records.some(({ key }) => parking.holds(partition, key) === null);

  return async (batch) => {
    if (isUnknown(batch)) return batch.records.map(() => ({ kind: 'retry', afterMs: unknownMs }));
    const ref = refOf(batch);
    const entries = readTasks(batch);
    const left = await handle(batch, ref, entries).catch((error: unknown): Left => {
      if (!isOurs(error)) throw error;
      const fields = { integration_id: ref.integrationId, err: error };
      limitedLog.warn(toRelayError(error).code, fields, 'our own store delays a batch; retrying');
      return { afterMs: shortWaitMs, apart: new Set() };
    });
    // Also after a failure of ours: the entries know what was sent, and what may have been.
    const outcomes = outcomesOf(entries, left);
    if (route.name === 'parked')
      for (const [index, { kind }] of outcomes.entries())
        if (kind !== 'retry') parking.finished((entries[index] as Entry).record);
    return outcomes;
  };
};
