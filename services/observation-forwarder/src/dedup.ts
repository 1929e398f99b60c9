import type { SourceEvent } from '@ranger-relay/contracts';
import { isRelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { lru } from './lru.ts';

/** What is left to do for an event, as the store knows it (device contract, forwarder: phase 1). */
export type Claim =
  /** Ours; observation and message are due. */
  | 'all'
  /** Ours; the observation was accepted before, the message is due. */
  | 'message'
  /** Sent before: drop it. */
  | 'done'
  /** Another worker is at it. */
  | 'busy'
  /** The store is away: send without deduplication. */
  | 'unclaimed';

/** What the platform has accepted of an event: its observation, or all of it. */
export type Mark = 'obs' | 'done';

/** Two-phase deduplication: claim with a short lease, act, mark. */
export interface Dedup {
  /** Claims for each event of a batch, in its order. */
  claim(owner: string, events: readonly SourceEvent[]): Promise<Claim[]>;
  /** Keeps the claims of these events alive until the returned function is called. */
  hold(owner: string, events: readonly SourceEvent[]): () => void;
  /** After the platform's 200: what is now accepted. The store's absence is no error. */
  mark(event: SourceEvent, mark: Mark): Promise<void>;
  /** Gives claims back, so that nobody has to wait for their lease. */
  release(owner: string, events: readonly SourceEvent[]): Promise<void>;
}

/** How long a claim holds without renewal, and how often it is renewed, ms. */
export const leaseMs = 15_000;
export const renewMs = 5_000;
const markMs = 6 * 86_400_000;
/** After a failed call the store is not asked again for so long. */
const awayMs = 1_000;
/** Marks remembered in memory for the time the store is away. */
const remembered = 20_000;

/** Key of an event's mark in the state space. */
export const eventKey = (event: Pick<SourceEvent, 'integration_id' | 'event_id'>): string =>
  `event.${event.integration_id}.${event.event_id}`;

const claimOne = async (state: KvSpace, key: string, owner: string, tries = 3): Promise<Claim> => {
  if (await state.setIfAbsent(key, `claimed:${owner}`, { ttlMs: leaseMs })) return 'all';
  const value = await state.get(key);
  if (value === 'done') return 'done';
  if (value === `claimed:${owner}`) return 'all';
  if (value === `obs:${owner}`) return 'message';
  if (value === 'obs' && (await state.compareAndSet(key, 'obs', `obs:${owner}`, { ttlMs: leaseMs }))) return 'message';
  if (value !== null && value !== 'obs') return 'busy';
  return tries > 1 ? claimOne(state, key, owner, tries - 1) : 'busy';
};

const renewOne = async (state: KvSpace, key: string, owner: string): Promise<void> => {
  for (const value of [`claimed:${owner}`, `obs:${owner}`])
    if (await state.compareAndSet(key, value, value, { ttlMs: leaseMs })) return;
};

const releaseOne = async (state: KvSpace, key: string, owner: string): Promise<void> => {
  if (await state.compareAndDelete(key, `claimed:${owner}`)) return;
  await state.compareAndSet(key, `obs:${owner}`, 'obs', { ttlMs: markMs });
};

/** Makes the deduplication on the state space of the store. Each call is one try; the store's absence is an answer. */
export const createDedup = (state: KvSpace, clock: Clock): Dedup => {
  const recent = lru<string, Mark>(remembered);
  let awayUntil = 0;

  /** Runs a call unless the store was found away just now; `otherwise` stands for its answer then. */
  const ask = async <T>(call: () => Promise<T>, otherwise: T): Promise<T> => {
    if (clock.monotonic() < awayUntil) return otherwise;
    try {
      return await call();
    } catch (error) {
      if (!isRelayError(error, 'kv_unavailable')) throw error;
      awayUntil = clock.monotonic() + awayMs;
      return otherwise;
    }
  };

  const fromMemory = (key: string): Claim => {
    const mark = recent.get(key);
    if (mark === undefined) return 'unclaimed';
    return mark === 'done' ? 'done' : 'message';
  };

  return {
    claim: (owner, events) =>
      Promise.all(
        events.map((event) =>
          ask(() => claimOne(state, eventKey(event), owner), undefined).then(
            (claim) => claim ?? fromMemory(eventKey(event)),
          ),
        ),
      ),

    hold(owner, events) {
      const renew = (): void => {
        for (const event of events) void ask(() => renewOne(state, eventKey(event), owner), undefined);
        timer = clock.after(renewMs, renew);
      };
      let timer = clock.after(renewMs, renew);
      return () => timer.cancel();
    },

    async mark(event, mark) {
      const key = eventKey(event);
      recent.set(key, mark);
      await ask(() => state.set(key, mark, { ttlMs: markMs }), undefined);
    },

    async release(owner, events) {
      await Promise.all(events.map((event) => ask(() => releaseOne(state, eventKey(event), owner), undefined)));
    },
  };
};
