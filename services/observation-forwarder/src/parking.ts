import { topics } from '@ranger-relay/contracts';
import { isRelayError } from '@ranger-relay/errors';
import type { Bus, BusRecord } from '@ranger-relay/bus';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock, Random } from '@ranger-relay/runtime';

/**
 * Which integrations have events on the parked topic. While one has, its later events must follow behind them, or order breaks. The
 * store's flag says so; the truth is the topic itself, from which lost flags are rebuilt.
 */
export interface Parking {
  /** Whether events of this integration must go to the parked topic. */
  parked(integrationId: string): Promise<boolean>;
  /** Appends records to the parked topic and raises the flag; resolves when both are safe. */
  park(integrationId: string, records: readonly BusRecord[]): Promise<void>;
  /** Lowers the flags of integrations whose parked events are all sent. */
  settle(): Promise<void>;
}

/** What parking works with. */
export interface ParkingParts {
  readonly bus: Bus;
  readonly state: KvSpace;
  readonly group: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Topic name, when it is not the catalogue's. */
  readonly topic?: string;
}

const flagPrefix = 'parked.';
const epochKey = 'parking.epoch';
/** How long a look at the topic itself serves while the store is away. */
const scanMs = 1_000;

/** Makes the parking. */
export const createParking = ({
  bus,
  state,
  group,
  clock,
  random,
  topic = topics.sourceEventsParked.name,
}: ParkingParts): Parking => {
  /** Parked by this process without a flag in the store yet. */
  const unflagged = new Set<string>();
  /** Flags this process has met; whoever met a flag looks after its lowering. */
  const met = new Set<string>();
  let rebuilt = false;
  let scan: { at: number; ids: Promise<Set<string>> } | undefined;

  const waiting = async (): Promise<Set<string>> => new Set((await bus.pending(topic, group)).map(({ key }) => key));

  const waitingLately = (): Promise<Set<string>> => {
    if (!scan || clock.monotonic() - scan.at >= scanMs) {
      const ids = waiting();
      scan = { at: clock.monotonic(), ids };
      ids.catch(() => (scan = undefined));
    }
    return scan.ids;
  };

  /** A fresh token each time: a flag that is being lowered elsewhere is then not the one that was looked at. */
  const raise = async (id: string): Promise<void> => {
    unflagged.add(id);
    met.add(id);
    await state.set(flagPrefix + id, random.uuid());
    unflagged.delete(id);
  };

  /** An emptied store has no epoch, a new process trusts nobody: flags are raised from the topic before their absence counts. */
  const rebuild = async (): Promise<void> => {
    for (const id of await waiting()) {
      met.add(id);
      await state.setIfAbsent(flagPrefix + id, random.uuid());
    }
    await state.setIfAbsent(epochKey, random.uuid());
    rebuilt = true;
  };

  const flagged = async (id: string): Promise<boolean> => {
    const [epoch, flag] = await Promise.all([state.get(epochKey), state.get(flagPrefix + id)]);
    if (rebuilt && epoch !== null) return flag !== null;
    await rebuild();
    return (await state.get(flagPrefix + id)) !== null;
  };

  return {
    async parked(id) {
      if (unflagged.has(id)) return true;
      try {
        const is = await flagged(id);
        if (is) met.add(id);
        return is;
      } catch (error) {
        if (!isRelayError(error, 'kv_unavailable')) throw error;
        return (await waitingLately()).has(id);
      }
    },

    async park(id, records) {
      unflagged.add(id);
      scan = undefined;
      await bus.publish(
        topic,
        records.map(({ value, headers }) => ({ key: id, value, headers })),
      );
      await raise(id).catch((error: unknown) => {
        if (!isRelayError(error, 'kv_unavailable')) throw error;
      });
    },

    async settle() {
      for (const id of unflagged) await raise(id);
      if (met.size === 0) return;
      const flags = await Promise.all([...met].map(async (id) => ({ id, flag: await state.get(flagPrefix + id) })));
      const left = await waiting();
      for (const { id, flag } of flags) {
        if (left.has(id)) continue;
        if (flag === null || (await state.compareAndDelete(flagPrefix + id, flag))) met.delete(id);
      }
    },
  };
};
