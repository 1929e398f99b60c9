import type { Batch, Bus, BusRecord, Outcome } from '@ranger-relay/bus';
import { isRelayError } from '@ranger-relay/errors';
import type { Context } from '@ranger-relay/runtime';
import type { ParkingFlags } from './parking-flags.ts';
import { carries, copyOf, surveyRotations, type Moved } from './rotation-survey.ts';

/**
 * Moves the parked events of an integration that cannot be sent to the end of their topic, so that retention never takes them (device
 * contract, forwarder: parked).
 *
 * A flag with a token is raised first; while it is up, nobody appends events of this integration. After a grace, in which those who looked
 * before have finished, the lane's records are appended again with the token, batch by batch. The first record that carries it ends the
 * rotation: everything before was moved.
 *
 * Offsets are committed behind the slowest lane of a partition, so records that were moved can be delivered again long after. Whoever takes a
 * partition therefore surveys the topic once: what has a copy further on is passed over, a rotation that was left unfinished goes on.
 */
export interface Rotation {
  /**
   * Takes a batch of the parked topic on its way to the end of it. Undefined when its records are to be sent, or wait, where they are.
   * @param failing whether the integration cannot be sent to now
   * @throws RelayError what the bus says; nothing is lost then
   */
  step(batch: Batch, failing: boolean): Promise<readonly Outcome[] | undefined>;
  /** Whether the batch begins with a record that is to be moved if it cannot be sent. */
  isDue(batch: Batch): boolean;
}

/** What rotating works with. */
export interface RotationParts {
  readonly bus: Bus;
  readonly flags: ParkingFlags;
  readonly context: Pick<Context, 'clock' | 'random' | 'log' | 'metrics'>;
}

/** Parked events that are older, by their publish time, are moved; the rest of the day is for failing to, ms. */
export const rotateAfterMs = 20 * 3_600_000;
/** Those who looked before the flag was raised have finished by then: they look at most 5 s ahead, and publish within 4 s, ms. */
export const graceMs = 30_000;
/** While a rotation is under way but cannot go on, or something waits for its end, ms. */
export const rotationWaitMs = 2_000;

/** One look at the topic, from an offset of the partition on. */
interface Survey {
  readonly from: bigint;
  readonly moved: Promise<ReadonlyMap<string, Moved>>;
}

/** What is known of one assignment of a partition. */
interface Assignment {
  survey: Survey | undefined;
  /** Tokens of rotations that this assignment has appended for, by lane. */
  readonly underWay: Map<string, string>;
}

const outcomes = ({ records }: Batch, finished: number, afterMs: number): Outcome[] =>
  records.map((_, index) => (index < finished ? { kind: 'done' } : { kind: 'retry', afterMs }));

const countLeading = (records: readonly BusRecord[], holds: (record: BusRecord) => boolean): number => {
  const end = records.findIndex((record) => !holds(record));
  return end < 0 ? records.length : end;
};

/** Makes the rotation of one process. */
export const createRotation = ({ bus, flags, context }: RotationParts): Rotation => {
  const { clock, random, log, metrics } = context;
  const assignments = new WeakMap<AbortSignal, Assignment>();
  /** Since when this process knows of a standing flag, monotonic ms. */
  const seen = new Map<string, { token: string; since: number }>();

  const assignmentOf = ({ signal }: Batch): Assignment => {
    const assignment = assignments.get(signal) ?? { survey: undefined, underWay: new Map<string, string>() };
    assignments.set(signal, assignment);
    return assignment;
  };

  const survey = async ({ topic, partition, records, signal, lane }: Batch, of: Assignment) => {
    const from = (records[0] as BusRecord).offset;
    if (!of.survey || from < of.survey.from) {
      const offsets = new Map([[partition, from]]);
      const taken = { from, moved: surveyRotations(bus, { topic, offsets, from: 'latest', signal }) };
      of.survey = taken;
      taken.moved.catch(() => {
        if (of.survey === taken) of.survey = undefined;
      });
    }
    return (await of.survey.moved).get(lane);
  };

  /** The token of the flag; undefined while the store is away. */
  const rotating = async (id: string): Promise<string | null | undefined> => {
    try {
      return (await flags.look(id)).rotating;
    } catch (error) {
      if (!isRelayError(error, 'kv_unavailable')) throw error;
      return undefined;
    }
  };

  const see = (id: string, token: string): number => {
    const known = seen.get(id);
    const since = known?.token === token ? known.since : clock.monotonic();
    seen.set(id, { token, since });
    return Math.max(0, since + graceMs - clock.monotonic());
  };

  const raise = async (id: string, token: string): Promise<string> => {
    seen.delete(id);
    const standing = await flags.raiseRotating(id, token);
    log.info({ integration_id: id }, 'parked events are moved to the end of their topic');
    return standing;
  };

  const finish = async ({ lane }: Batch, of: Assignment, flag: string | null | undefined): Promise<void> => {
    if (flag) await flags.lowerRotating(lane, flag);
    of.underWay.delete(lane);
    seen.delete(lane);
    log.info({ integration_id: lane }, 'all parked events are moved');
  };

  const move = async (batch: Batch, of: Assignment, token: string): Promise<readonly Outcome[]> => {
    const count = countLeading(batch.records, (record) => !carries(record, token));
    if (batch.signal.aborted) return outcomes(batch, 0, 0);
    of.underWay.set(batch.lane, token);
    await bus.publish(
      batch.topic,
      batch.records.slice(0, count).map((record) => copyOf(record, token)),
    );
    // As after every append, before anything is committed: whoever looks at the topic just now must not lower the flags.
    await flags.raiseParked(batch.lane);
    metrics.count('relay_parked_events_moved_total', {}, count);
    return outcomes(batch, count, 0);
  };

  const isDue = (batch: Batch): boolean => clock.now() - (batch.records[0] as BusRecord).timestamp >= rotateAfterMs;

  return {
    isDue,

    async step(batch, failing) {
      const of = assignmentOf(batch);
      const { lane, records } = batch;
      const head = records[0] as BusRecord;
      const moved = await survey(batch, of);
      const before = moved !== undefined && head.offset < moved.first;
      const passed = before ? countLeading(records, ({ offset }) => moved.copied.has(offset)) : 0;
      if (passed > 0) return outcomes(batch, passed, 0);

      const begun = of.underWay.get(lane) ?? (before ? moved.token : undefined);
      const flag = await rotating(lane);
      const token = begun ?? flag ?? (failing && flag === null && isDue(batch) ? random.uuid() : undefined);
      if (token === undefined) return undefined;
      if (carries(head, token)) {
        await finish(batch, of, flag);
        return undefined;
      }
      if (flag === undefined) return outcomes(batch, 0, rotationWaitMs);
      const standing = flag ?? (await raise(lane, token));
      const grace = see(lane, standing);
      return grace > 0 ? outcomes(batch, 0, grace) : move(batch, of, begun ?? standing);
    },
  };
};
