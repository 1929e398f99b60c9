import type { Bus, BusRecord } from '@ranger-relay/bus';
import { isRelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import type { ParkingFlags } from './parking-flags.ts';

/**
 * Which integrations have events on the parked topic. While one has, its later events must follow behind them, or order breaks. The
 * store's flag says so; the truth is the topic itself, from which lost flags are rebuilt.
 */
export interface Parking {
  /** Whether events of this integration must go to the parked topic. */
  parked(integrationId: string): Promise<boolean>;
  /**
   * Appends records to the parked topic and raises the flag; true when both are safe. False when nothing was appended, because the parked
   * events of the integration are being moved, or could be as far as can be known: the records have to wait.
   */
  park(integrationId: string, records: readonly BusRecord[]): Promise<boolean>;
  /** Raises the flags that the store has not taken yet. */
  raiseMissing(): Promise<void>;
}

/** What parking works with. */
export interface ParkingParts {
  readonly bus: Bus;
  readonly flags: ParkingFlags;
  readonly group: string;
  readonly topic: string;
  readonly clock: Clock;
}

/** How long a look at the topic itself serves while the store is away, ms. */
const scanMs = 1_000;
/** A look at the rotating flag that is older at the time of the append does not count: the process stood still, ms. */
const lookHoldsMs = 5_000;
/** Where nothing was parked so long ago, nothing can be old enough to be moved yet (`rotateAfterMs`, less what clocks differ), ms. */
const youngMs = 10 * 3_600_000;

/** Resolves to the fallback when the store is away. */
const unlessAway = async <T>(call: Promise<T>, fallback: () => T | Promise<T>): Promise<T> => {
  try {
    return await call;
  } catch (error) {
    if (!isRelayError(error, 'kv_unavailable')) throw error;
    return fallback();
  }
};

/** Makes the parking. */
export const createParking = ({ bus, flags, group, topic, clock }: ParkingParts): Parking => {
  /** Parked by this process without a flag in the store yet. */
  const unflagged = new Set<string>();
  /** Until when nothing of an integration can be in rotation, monotonic ms. */
  const youngUntil = new Map<string, number>();
  let scan: { at: number; ids: Promise<Set<string>> } | undefined;

  const waitingLately = (): Promise<Set<string>> => {
    if (!scan || clock.monotonic() - scan.at >= scanMs) {
      const ids = bus.pending(topic, group).then((found) => new Set(found.map(({ key }) => key)));
      scan = { at: clock.monotonic(), ids };
      ids.catch(() => (scan = undefined));
    }
    return scan.ids;
  };

  const nothingParked = (id: string): void => void youngUntil.set(id, clock.monotonic() + youngMs);

  const rotatingByFlag = async (id: string): Promise<boolean> => {
    const { parked, rotating } = await flags.look(id);
    if (parked === null && rotating === null) nothingParked(id);
    return rotating !== null;
  };

  /** Without the store a rotation cannot be seen; only what is too young for one may be followed by more. */
  const couldRotate = async (id: string): Promise<boolean> => {
    if ((youngUntil.get(id) ?? 0) > clock.monotonic()) return false;
    if ((await waitingLately()).has(id)) return true;
    nothingParked(id);
    return false;
  };

  const mayAppend = async (id: string): Promise<boolean> => {
    for (let tries = 0; tries < 3; tries += 1) {
      const asked = clock.monotonic();
      if (await unlessAway(rotatingByFlag(id), () => couldRotate(id))) return false;
      if (clock.monotonic() - asked < lookHoldsMs) return true;
    }
    return false;
  };

  const raise = async (id: string): Promise<void> => {
    unflagged.add(id);
    await flags.raiseParked(id);
    unflagged.delete(id);
  };

  return {
    async parked(id) {
      if (unflagged.has(id)) return true;
      const byFlag = flags.look(id).then(({ parked }) => parked !== null);
      return unlessAway(byFlag, async () => (await waitingLately()).has(id));
    },

    async park(id, records) {
      if (!(await mayAppend(id))) return false;
      unflagged.add(id);
      scan = undefined;
      await bus.publish(
        topic,
        records.map(({ value, headers }) => ({ key: id, value, headers })),
      );
      await unlessAway(raise(id), () => undefined);
      return true;
    },

    async raiseMissing() {
      for (const id of unflagged) await raise(id);
    },
  };
};
