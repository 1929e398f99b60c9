import { isRelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import type { Part } from './dedup/tries.ts';

/**
 * Counts the positions, and the texts, of an integration that the platform refused in a row. Beyond a bound nothing more is given up: a platform that has
 * forgotten a field, or something in front of it, must not turn a backlog into dead letters (device contract, forwarder: refused).
 */
export interface Refusals {
  /** Counts one more. True when the item may be given up. */
  mayGiveUp(integrationId: string, part: Part): Promise<boolean>;
  /** The platform accepted one: the row is over. */
  accepted(integrationId: string, part: Part): Promise<void>;
  /** How many integrations there are of which this process holds refused items back. */
  held(): number;
}

const maxInARow = 20;
/** Another process may have counted: its count is ended at least so often, ms. */
const forgetEveryMs = 10_000;
const ttlMs = 6 * 86_400_000;

const keyOf = (integrationId: string, part: Part): string => `refusals.${integrationId}.${part}`;

/** Lets so many more items be given up in a row, for a person who has looked at the refusals. @throws RelayError `kv_unavailable` */
export const allowRefusals = async (state: KvSpace, integrationId: string, count: number): Promise<void> => {
  for (const part of ['observation', 'message'] as const)
    await state.set(keyOf(integrationId, part), String(maxInARow - count), { ttlMs });
};

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
  const held = new Map<string, string>();
  return {
    held: () => new Set(held.values()).size,
    async mayGiveUp(integrationId, part) {
      const key = keyOf(integrationId, part);
      const stored = await unlessAway(state.get(key));
      const before = stored === undefined ? (counts.get(key) ?? 0) : Number(stored) || 0;
      if (before >= maxInARow) {
        held.set(key, integrationId);
        return false;
      }
      held.delete(key);
      counts.set(key, before + 1);
      endedAt.delete(key);
      await unlessAway(state.set(key, String(before + 1), { ttlMs }));
      return true;
    },
    async accepted(integrationId, part) {
      const key = keyOf(integrationId, part);
      const now = clock.monotonic();
      if (now - (endedAt.get(key) ?? -Infinity) < forgetEveryMs) return;
      endedAt.set(key, now);
      counts.delete(key);
      held.delete(key);
      await unlessAway(state.delete(key));
    },
  };
};
