import type { Bus, PendingKey } from '@ranger-relay/bus';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { parkedKey, type ParkingFlags } from './flags.ts';
import type { Parking } from './parking.ts';

/**
 * Looks after the flags that this process has met: none stays up when nothing is parked, none is down while something is. A flag whose process
 * died is met by whoever handles the integration's next event.
 */
export interface ParkingReconciler {
  /** To be called every second; asks store and bus only when it is time to. */
  reconcile(): Promise<void>;
}

/** What the reconciler works with. */
export interface ReconcilerDependencies {
  readonly bus: Pick<Bus, 'pending'>;
  readonly state: KvSpace;
  readonly flags: ParkingFlags;
  readonly parking: Pick<Parking, 'raiseMissing'>;
  readonly group: string;
  readonly topic: string;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Between two looks at the topic: doubling while nothing changes, ms. */
const minEveryMs = 1_000;
const maxEveryMs = 10_000;

/** What can be seen to move between two looks. */
const stateOf = (pending: readonly PendingKey[]): string =>
  JSON.stringify(pending.map(({ key, count, oldest, newest }) => [key, count, oldest, newest]));

/** Makes the reconciler of one process. */
export const createParkingReconciler = (deps: ReconcilerDependencies): ParkingReconciler => {
  const { bus, state, flags, parking, group, topic, clock } = deps;
  let readPartition = -Infinity;
  let everyMs = minEveryMs;
  let changes = 0;
  let seen = '';

  /** Nothing of the integration was seen parked: true when its flag is down. The token tells of an append during the look. */
  const lower = async (id: string, token: string | null): Promise<boolean> =>
    token === null ? (await state.get(parkedKey(id))) === null : state.compareAndDelete(parkedKey(id), token);

  /** Tokens are read before the topic: what is appended after the look has a flag with another token. */
  const look = async (): Promise<string> => {
    const known = flags.changes();
    const ids = [...flags.tracked];
    const tokens = await Promise.all(ids.map((id) => state.get(parkedKey(id))));
    const pending = await bus.pending(topic, group);
    const left = new Set(pending.map(({ key }) => key));
    for (const [index, id] of ids.entries()) {
      const token = tokens[index] ?? null;
      if (left.has(id)) {
        if (token === null) await flags.set(id);
        // A flag that was raised during the look stays among those that are looked after.
      } else if ((await lower(id, token)) && flags.changes() === known) flags.tracked.delete(id);
    }
    return stateOf(pending.filter(({ key }) => flags.tracked.has(key)));
  };

  const lookInTime = async (): Promise<void> => {
    if (flags.changes() !== changes) readPartition = Math.min(readPartition, clock.monotonic() + minEveryMs);
    if (clock.monotonic() < readPartition) return;
    const count = flags.tracked.size;
    const known = flags.changes();
    readPartition = clock.monotonic() + everyMs;
    const now = await look();
    const moved = known !== changes || now !== seen || flags.tracked.size !== count;
    everyMs = moved ? minEveryMs : Math.min(everyMs * 2, maxEveryMs);
    readPartition = clock.monotonic() + everyMs;
    changes = known;
    seen = now;
  };

  return {
    async reconcile() {
      await parking.raiseMissing();
      if (flags.tracked.size > 0) await lookInTime();
    },
  };
};
