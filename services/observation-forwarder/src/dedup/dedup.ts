import type { SourceEvent } from '@ranger-relay/contracts';
import type { KvSpace } from '@ranger-relay/kv';
import { BoundedMap, type Clock } from '@ranger-relay/runtime';
import {
  type Claim,
  claimEvent,
  type Claims,
  eventKey,
  holdClaims,
  type Mark,
  markDone,
  markLate,
  markObserved,
} from './claims.ts';
import { createStoreAccess } from './store-access.ts';

/** Two-phase deduplication: claim with a short lease, act, mark. */
export interface Dedup {
  /** Claims the events of a batch, each once, and renews the claims until they are marked done or released. */
  claim(worker: string, events: readonly SourceEvent[]): Promise<Claims>;
}

/** Number of marks remembered in this process, for a store that is unavailable or was emptied. */
const maxRemembered = 20_000;

/** Creates the deduplication on the store's state space. Each call is one attempt; an unavailable store is a valid result, not an error. */
export const createDedup = (state: KvSpace, clock: Clock, access = createStoreAccess(clock)): Dedup => {
  const recent = new BoundedMap<Mark>(maxRemembered);
  const seenBusy = new BoundedMap<true>(maxRemembered);
  /** Events claimed in this process: a batch of a revoked partition may still run when the partition is assigned again. */
  const inHand = new Set<string>();
  let batches = 0;
  const { ask, retryWrite } = access;

  const fromMemory = (key: string): Claim => {
    const mark = recent.get(key);
    if (mark === undefined) return 'unclaimed';
    return mark === 'done' ? 'done' : 'message';
  };

  /** A store that was unavailable or emptied knows less than this process: writes the known mark, so that nothing is sent again. */
  const writeKnown = async (owner: string, event: SourceEvent, mark: Mark): Promise<Claim> => {
    const write = mark === 'done' ? () => markDone(state, event) : () => markObserved(state, event, owner);
    const isWritten = await ask(async () => (await write(), true));
    if (!isWritten) retryWrite(eventKey(event), () => markLate(state, eventKey(event), mark, owner));
    return mark === 'done' ? 'done' : 'message';
  };

  const claimOne = async (owner: string, event: SourceEvent): Promise<Claim> => {
    const key = eventKey(event);
    const claim = await ask(() => claimEvent(state, event, owner));
    const mark = recent.get(key);
    if ((claim === 'all' || claim === 'again') && mark !== undefined) return writeKnown(owner, event, mark);
    if (claim === 'busy') seenBusy.set(key, true);
    // The other worker's claim expired: the worker ended, perhaps in the middle of a call.
    if (claim === 'all' && seenBusy.delete(key)) return 'again';
    return claim ?? fromMemory(key);
  };

  const drop = (key: string): void => void inHand.delete(key);

  /** Takes the events that no other batch of this process holds and returns their keys. */
  const takeInHand = (events: readonly SourceEvent[]): Set<string> => {
    const free = new Set(events.map(eventKey).filter((key) => !inHand.has(key)));
    for (const key of free) inHand.add(key);
    return free;
  };

  return {
    async claim(worker, events) {
      const owner = `${worker}#${(batches += 1)}`;
      const since = clock.monotonic();
      const free = takeInHand(events);
      try {
        const found = await Promise.all(
          events.map((event) => (free.has(eventKey(event)) ? claimOne(owner, event) : 'busy')),
        );
        const ended = events.filter((_, index) => found[index] === 'done' || found[index] === 'busy').map(eventKey);
        for (const key of ended) if (free.has(key)) drop(key);
        const onMark = (key: string, mark: Mark): unknown => recent.set(key, mark);
        const onMissed = (key: string, mark: Mark): void => retryWrite(key, () => markLate(state, key, mark, owner));
        return holdClaims({ state, clock, ask, owner, events, found, since, onMark, onMissed, onEnd: drop });
      } catch (error) {
        free.forEach(drop);
        throw error;
      }
    },
  };
};
