import { type KvSpace, unlessUnavailable } from '@ranger-relay/kv';
import type { Clock, Conditions } from '@ranger-relay/runtime';
import type { Part } from './task.ts';

/**
 * Counts, per integration, the positions and the texts that the platform refused in a row. Beyond a limit no more items are dead-lettered:
 * a platform that lost a field, or a proxy in front of it, must not turn a backlog into dead letters (device contract, forwarder: refused).
 */
export interface Refusals {
  /** Counts one more refusal. True when the item may be dead-lettered. */
  mayGiveUp(integrationId: string, part: Part): Promise<boolean>;
  /** Ends the row: the platform accepted an item. */
  accepted(integrationId: string, part: Part): Promise<void>;
  /** Number of integrations whose refused items are held back, as far as this process knows. */
  held(): number;
}

const maxInARow = 20;
/** Another process may have counted refusals: an acceptance resets the stored count at most once in this interval, ms. */
const forgetEveryMs = 10_000;
const ttlMs = 6 * 86_400_000;

const keyOf = (integrationId: string, part: Part): string => `refusals.${integrationId}.${part}`;

/** Lets `count` more items be dead-lettered in a row, after an operator reviewed the refusals. @throws RelayError `kv_unavailable` */
export const allowRefusals = async (state: KvSpace, integrationId: string, count: number): Promise<void> => {
  for (const part of ['observation', 'message'] as const)
    await state.set(keyOf(integrationId, part), String(maxInARow - count), { ttlMs });
};

/** Creates the counts. The store keeps them; memory replaces it while it is unavailable. */
export const createRefusals = (
  state: KvSpace,
  { clock, conditions }: { readonly clock: Pick<Clock, 'monotonic'>; readonly conditions: Conditions },
): Refusals => {
  const counts = new Map<string, number>();
  const endedAt = new Map<string, number>();
  const held = new Map<string, string>();
  const hold = (key: string, integrationId: string): void => {
    held.set(key, integrationId);
    conditions.set('refusals_held', integrationId);
  };
  const release = (key: string, integrationId: string): void => {
    held.delete(key);
    if (![...held.values()].includes(integrationId)) conditions.clear('refusals_held', integrationId);
  };
  return {
    held: () => conditions.active().filter(({ name }) => name === 'refusals_held').length,
    async mayGiveUp(integrationId, part) {
      const key = keyOf(integrationId, part);
      const stored = await unlessUnavailable(state.get(key));
      const before = stored === undefined ? (counts.get(key) ?? 0) : Number(stored) || 0;
      if (before >= maxInARow) {
        hold(key, integrationId);
        return false;
      }
      release(key, integrationId);
      counts.set(key, before + 1);
      endedAt.delete(key);
      await unlessUnavailable(state.set(key, String(before + 1), { ttlMs }));
      return true;
    },
    async accepted(integrationId, part) {
      const key = keyOf(integrationId, part);
      const now = clock.monotonic();
      if (now - (endedAt.get(key) ?? -Infinity) < forgetEveryMs) return;
      endedAt.set(key, now);
      counts.delete(key);
      release(key, integrationId);
      await unlessUnavailable(state.delete(key));
    },
  };
};
