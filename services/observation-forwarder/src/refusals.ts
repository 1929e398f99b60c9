import { isRelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';

/**
 * Counts the items of an integration that the platform refused in a row. Beyond a bound nothing more is given up: a platform that has
 * forgotten a field, or something in front of it, must not turn a backlog into dead letters (device contract, forwarder: refused).
 */
export interface Refusals {
  /** Counts one more. True when the item may be given up. */
  mayGiveUp(integrationId: string): Promise<boolean>;
  /** The platform accepted something: the row is over. */
  accepted(integrationId: string): Promise<void>;
  /** Integrations of which this process holds refused items back. */
  readonly held: ReadonlySet<string>;
}

const maxInARow = 20;
/** Another process may have counted: its count is ended at least so often, ms. */
const forgetEveryMs = 10_000;
const ttlMs = 6 * 86_400_000;

const keyOf = (integrationId: string): string => `refusals.${integrationId}`;

/** Lets so many more items be given up in a row, for a person who has looked at the refusals. @throws RelayError `kv_unavailable` */
export const allowRefusals = (state: KvSpace, integrationId: string, count: number): Promise<void> =>
  state.set(keyOf(integrationId), String(maxInARow - count), { ttlMs });

const unlessAway = async <T>(call: Promise<T>): Promise<T | undefined> => {
  try {
    return await call;
  } catch (error) {
    if (!isRelayError(error, 'kv_unavailable')) throw error;
    return undefined;
  }
};

/** Makes the counts; the store keeps them, memory serves while it is away. */
export const createRefusals = (state: KvSpace, clock: Pick<Clock, 'monotonic'>): Refusals => {
  const counts = new Map<string, number>();
  const endedAt = new Map<string, number>();
  const held = new Set<string>();
  return {
    held,
    async mayGiveUp(id) {
      const stored = await unlessAway(state.get(keyOf(id)));
      const before = stored === undefined ? (counts.get(id) ?? 0) : Number(stored) || 0;
      if (before >= maxInARow) {
        held.add(id);
        return false;
      }
      held.delete(id);
      counts.set(id, before + 1);
      endedAt.delete(id);
      await unlessAway(state.set(keyOf(id), String(before + 1), { ttlMs }));
      return true;
    },
    async accepted(id) {
      const now = clock.monotonic();
      if (now - (endedAt.get(id) ?? -Infinity) < forgetEveryMs) return;
      endedAt.set(id, now);
      counts.delete(id);
      held.delete(id);
      await unlessAway(state.delete(keyOf(id)));
    },
  };
};
