import type { Batch, Handler, Outcome } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';
import { isRelayError, type RelayError } from '@ranger-relay/errors';
import type { ForwardParts } from './parts.ts';
import { rotationWaitMs } from './rotation.ts';
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

const emergencies = (tasks: readonly Task[]): number => tasks.filter(({ event }) => event.sos).length;

const laneName = (batch: Batch): string =>
  `${batch.topic === topics.sourceEventsParked.name ? 'p' : 's'}${batch.partition}`;

/** Claims the batch's events and notes on the tasks what the store knows of them. */
const claim = async (parts: ForwardParts, owner: string, tasks: readonly Task[]) => {
  const { unique, repeats } = collapse(tasks);
  const claims = await parts.dedup.claim(
    owner,
    unique.map(({ event }) => event),
  );
  applyClaims(unique, claims.found);
  const { metrics } = parts.context;
  const of = (wanted: string): number => claims.found.filter((is) => is === wanted).length;
  metrics.count('relay_events_duplicate_total', {}, repeats.length + of('done'));
  metrics.count('relay_events_undeduplicated_total', {}, of('unclaimed'));
  for (const { event, held, due } of unique)
    if (event.sos && !held && (due.observation || due.message)) parts.notices.sos(event);
  return { unique, claims };
};

/**
 * Makes the handler of one topic. `parkable` is true for the source events, false for the parked ones, which wait where they are.
 * A batch holds events of one integration (the lane) from one partition (device contract, forwarder).
 */
export const createForwardHandler = (parts: ForwardParts, parkable: boolean): Handler => {
  const { context, failures, parking, rotation, notices, sosWatch } = parts;

  /** Moves to the parked topic what is not finished; returns how long what cannot be moved now waits, ms. */
  const park = async (batch: Batch, tasks: readonly Task[]): Promise<number> => {
    const left = tasks.filter((task) => !isFinished(task));
    if (batch.signal.aborted) return 0;
    const parked = await parking.park(
      batch.lane,
      left.map(({ record }) => record),
    );
    if (!parked) return rotationWaitMs;
    context.metrics.count('relay_events_parked_total', {}, left.length);
    context.metrics.count('relay_sos_events_total', { outcome: 'parked' }, emergencies(left));
    for (const task of left) task.due.observation = task.due.message = false;
    return 0;
  };

  const afterFailure = async (batch: Batch, tasks: readonly Task[], error: RelayError): Promise<number> => {
    const { afterMs, park: toPark } = failures.failed(batch.lane, error);
    context.log.warn(
      { integration_id: batch.lane, err: error, retry_after_ms: Math.round(afterMs), parked: parkable && toPark },
      'sending failed; it is tried again',
    );
    if (error.code === 'api_key_refused') await notices.keyRefused(batch.lane, error);
    if (parkable) return toPark ? park(batch, tasks) : afterMs;
    // Delivered again at once, while the integration is known to fail: that is when what is old is moved.
    return rotation.isDue(batch) ? 0 : afterMs;
  };

  /** Sends what can be sent now; returns how long the rest waits, ms. */
  const send = async (batch: Batch, tasks: readonly Task[]): Promise<number> => {
    const owner = `${parts.owner}/${laneName(batch)}`;
    const opening = openCount(parts.state, batch.lane, laneName(batch));
    const { unique, claims } = await claim(parts, owner, tasks);
    let failure: RelayError | undefined;
    try {
      // What comes behind another worker's event is not sent now: nobody should wait for its lease.
      await claims.release(unique.filter(({ held }) => held).map(({ event }) => event));
      failure = await new Run(parts, batch, unique, claims, await opening).send();
    } finally {
      await claims.release();
    }
    return failure === undefined ? shortWaitMs : afterFailure(batch, unique, failure);
  };

  /** Whether the events must go, or stay, behind parked ones. */
  const mustPark = async (integrationId: string): Promise<boolean> =>
    parkable && ((await parking.parked(integrationId)) || (failures.waiting(integrationId)?.park ?? false));

  const waitOf = (afterMs: number): number => (parkable ? Math.min(afterMs, lookAgainMs) : afterMs);

  const forward = async (batch: Batch, tasks: readonly Task[]): Promise<number> => {
    if (await mustPark(batch.lane)) return park(batch, tasks);
    const standing = failures.waiting(batch.lane);
    return waitOf(standing ? standing.afterMs : await send(batch, tasks));
  };

  const handle = async (batch: Batch): Promise<readonly Outcome[]> => {
    const moving = parkable ? undefined : await rotation.step(batch, failures.waiting(batch.lane) !== undefined);
    if (moving) return moving;
    const entries = readTasks(batch.records);
    const tasks = entries.filter(isTask);
    sosWatch.note(batch, tasks);
    const afterMs = tasks.length === 0 ? 0 : await forward(batch, tasks);
    sosWatch.note(batch, tasks);
    return outcomesOf(entries, afterMs);
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
