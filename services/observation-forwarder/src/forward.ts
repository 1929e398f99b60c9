import type { Batch, Handler, Outcome } from '@ranger-relay/bus';
import { topics, type SourceEvent } from '@ranger-relay/contracts';
import { isRelayError, type RelayError } from '@ranger-relay/errors';
import type { ForwardParts } from './parts.ts';
import { Run } from './run.ts';
import { applyClaims, collapse, isFinished, isTask, outcomesOf, readTasks, type Task } from './task.ts';
import { openCount } from './tally.ts';

/** Waiting time when our own bus or another worker is what holds a batch up, ms. */
const shortWaitMs = 1_000;

/**
 * A lane that could yet be parked is looked at again after so long, however long its integration waits: others must not be held up
 * behind it (device contract, forwarder: transient), ms.
 */
const lookAgainMs = 15_000;

/** What our own bus or store cannot do now; waiting mends it, and no event is to blame. */
const isOurs = (error: unknown): boolean => isRelayError(error) && error.next === 'retry' && error.code !== 'internal';

const waiting = (batch: Batch, afterMs: number): Outcome[] => batch.records.map(() => ({ kind: 'retry', afterMs }));

const laneName = (batch: Batch): string =>
  `${batch.topic === topics.sourceEventsParked.name ? 'p' : 's'}${batch.partition}`;

const unsentOf = (tasks: readonly Task[]): SourceEvent[] =>
  tasks.filter((task) => !task.held && !isFinished(task)).map(({ event }) => event);

/** Claims the batch's events and notes on the tasks what the store knows of them. */
const claim = async (parts: ForwardParts, owner: string, tasks: readonly Task[]): Promise<Task[]> => {
  const { unique, repeats } = collapse(tasks);
  const claims = await parts.dedup.claim(
    owner,
    unique.map(({ event }) => event),
  );
  applyClaims(unique, claims);
  const { metrics } = parts.context;
  const of = (wanted: string): number => claims.filter((is) => is === wanted).length;
  metrics.count('relay_events_duplicate_total', {}, repeats.length + of('done'));
  metrics.count('relay_events_undeduplicated_total', {}, of('unclaimed'));
  for (const { event, held, due } of unique)
    if (event.sos && !held && (due.observation || due.message)) parts.notices.sos(event);
  return unique;
};

/**
 * Makes the handler of one topic. `parkable` is true for the source events, false for the parked ones, which wait where they are.
 * A batch holds events of one integration (the lane) from one partition (device contract, forwarder).
 */
export const createForwardHandler = (parts: ForwardParts, parkable: boolean): Handler => {
  const { context, dedup, failures, parking, notices } = parts;

  const park = async (integrationId: string, tasks: readonly Task[]): Promise<void> => {
    const left = tasks.filter((task) => !isFinished(task));
    await parking.park(
      integrationId,
      left.map(({ record }) => record),
    );
    context.metrics.count('relay_events_parked_total', {}, left.length);
    for (const task of left) task.due.observation = task.due.message = false;
  };

  const afterFailure = async (integrationId: string, tasks: readonly Task[], error: RelayError): Promise<number> => {
    const { afterMs, park: toPark } = failures.failed(integrationId, error);
    context.log.warn(
      { integration_id: integrationId, err: error, retry_after_ms: Math.round(afterMs), parked: parkable && toPark },
      'sending failed; it is tried again',
    );
    if (error.code === 'api_key_refused') await notices.keyRefused(integrationId, error);
    if (parkable && toPark) await park(integrationId, tasks);
    return afterMs;
  };

  /** Sends what can be sent now; returns how long the rest waits, ms. */
  const send = async (batch: Batch, tasks: readonly Task[]): Promise<number> => {
    const owner = `${parts.owner}/${laneName(batch)}`;
    const opening = openCount(parts.state, batch.lane, laneName(batch));
    const unique = await claim(parts, owner, tasks);
    const count = await opening;
    const letGo = dedup.hold(owner, unsentOf(unique));
    let failure: RelayError | undefined;
    try {
      failure = await new Run(parts, batch, unique, count).send();
    } finally {
      letGo();
      await dedup.release(owner, unsentOf(unique));
    }
    return failure === undefined ? shortWaitMs : afterFailure(batch.lane, unique, failure);
  };

  /** Whether the events must go, or stay, behind parked ones. */
  const mustPark = async (integrationId: string): Promise<boolean> =>
    parkable && ((await parking.parked(integrationId)) || (failures.waiting(integrationId)?.park ?? false));

  const waitOf = (afterMs: number): number => (parkable ? Math.min(afterMs, lookAgainMs) : afterMs);

  const handle = async (batch: Batch): Promise<readonly Outcome[]> => {
    const entries = readTasks(batch.records);
    const tasks = entries.filter(isTask);
    if (tasks.length === 0) return outcomesOf(entries, 0);
    if (await mustPark(batch.lane)) {
      await park(batch.lane, tasks);
      return outcomesOf(entries, 0);
    }
    const standing = failures.waiting(batch.lane);
    return outcomesOf(entries, waitOf(standing ? standing.afterMs : await send(batch, tasks)));
  };

  return (batch) =>
    handle(batch).catch((error: unknown) => {
      if (!isOurs(error)) throw error;
      context.log.warn(
        { integration_id: batch.lane, err: error },
        'a batch is held up by our own store; it is tried again',
      );
      return waiting(batch, shortWaitMs);
    });
};
