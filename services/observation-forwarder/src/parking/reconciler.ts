import type { Bus, PendingKey } from '@ranger-relay/bus';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { parkedKey, type ParkingFlags } from './flags.ts';
import type { Parking } from './parking.ts';

/**
 * Reconciles the flags that this process has seen: clears those of integrations without parked events, and sets those of integrations with
 * some. When a process dies, the next process that handles an event of the integration, parked or not, tracks its flag.
 */
export interface ParkingReconciler {
  /** To be called every second; calls the store and the bus only when a check is due. */
  reconcile(): Promise<void>;
}

/** Dependencies of the reconciler. */
export interface ReconcilerDependencies {
  readonly bus: Pick<Bus, 'pending'>;
  readonly state: KvSpace;
  readonly flags: ParkingFlags;
  readonly parking: Pick<Parking, 'raiseMissing'>;
  readonly group: string;
  readonly topic: string;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Interval between two checks of the topic; it doubles while nothing changes, ms. */
const minEveryMs = 1_000;
const maxEveryMs = 10_000;

/** Snapshot of the pending records, to detect changes between two checks. */
const stateOf = (pending: readonly PendingKey[]): string =>
  JSON.stringify(pending.map(({ key, count, oldest, newest }) => [key, count, oldest, newest]));

/** Creates the reconciler of one process. */
export const createParkingReconciler = (deps: ReconcilerDependencies): ParkingReconciler => {
  const { bus, state, flags, parking, group, topic, clock } = deps;
  let checkAt = -Infinity;
  let everyMs = minEveryMs;
  let changes = 0;
  let seen = '';

  /**
   * Clears the flag of an integration without parked events; true when the flag is not set. A changed token reveals an
   * append during the check.
   */
  const clear = async (id: string, token: string | null): Promise<boolean> =>
    token === null ? (await state.get(parkedKey(id))) === null : state.compareAndDelete(parkedKey(id), token);

  /** The tokens are read before the topic: an append after the check sets a flag with another token. */
  const check = async (): Promise<string> => {
    const known = flags.changes();
    const ids = [...flags.tracked];
    const tokens = await Promise.all(ids.map((id) => state.get(parkedKey(id))));
    const pending = await bus.pending(topic, group);
    const left = new Set(pending.map(({ key }) => key));
    for (const [index, id] of ids.entries()) {
      const token = tokens[index] ?? null;
      if (left.has(id)) {
        if (token === null) await flags.set(id);
        // A flag that was set during the check stays tracked.
      } else if ((await clear(id, token)) && flags.changes() === known) flags.tracked.delete(id);
    }
    return stateOf(pending.filter(({ key }) => flags.tracked.has(key)));
  };

  const checkWhenDue = async (): Promise<void> => {
    if (flags.changes() !== changes) checkAt = Math.min(checkAt, clock.monotonic() + minEveryMs);
    if (clock.monotonic() < checkAt) return;
    const count = flags.tracked.size;
    const known = flags.changes();
    checkAt = clock.monotonic() + everyMs;
    const now = await check();
    const moved = known !== changes || now !== seen || flags.tracked.size !== count;
    everyMs = moved ? minEveryMs : Math.min(everyMs * 2, maxEveryMs);
    checkAt = clock.monotonic() + everyMs;
    changes = known;
    seen = now;
  };

  return {
    async reconcile() {
      await parking.raiseMissing();
      if (flags.tracked.size > 0) await checkWhenDue();
    },
  };
};
