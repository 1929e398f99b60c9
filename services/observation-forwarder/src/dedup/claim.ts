import type { SourceEvent } from '@ranger-relay/contracts';
import type { KvSpace } from '@ranger-relay/kv';

/** Which event a key belongs to. */
type EventRef = Pick<SourceEvent, 'integration_id' | 'event_id'>;

/** Key of an event's mark in the state space (device contract, forwarder: phase 1). */
export const eventKey = (event: EventRef): string => `event.${event.integration_id}.${event.event_id}`;

/** Key of the lease on an event whose observation was accepted; its mark must outlive whoever works on the message. */
const leaseKey = (event: EventRef): string => `lease.${event.integration_id}.${event.event_id}`;

/**
 * The claims of the device contract (forwarder: phases 1 and 2), one event at a time. The event's key goes through
 *
 *     absent → claimed:<owner> → obs:<owner> ⇄ obs → done
 *
 * `claimed` is a lease itself: its TTL ends it. `obs` and `obs:<owner>` say what the platform has taken and stay for days, so whoever works
 * on the message holds a lease under a key of its own; only its holder moves the mark among these two. Time is the store's alone.
 */

/** How long a claim holds without renewal, ms. */
export const leaseMs = 15_000;
/** How long a mark stays: the vendor repeats for 5 days, ms. */
export const markMs = 6 * 86_400_000;

/** Ours, with what is due: all of it, or the message alone. */
export type Held = 'all' | 'message';

const lease = { ttlMs: leaseMs };
const kept = { ttlMs: markMs };
const claimOf = (owner: string): string => `claimed:${owner}`;
const observedBy = (owner: string): string => `obs:${owner}`;
const isObserved = (value: string): boolean => value === 'obs' || value.startsWith('obs:');

/** Whether the lease is the owner's now, taken or taken again; one round trip. */
const takeLease = async (state: KvSpace, event: SourceEvent, owner: string): Promise<boolean> => {
  const key = leaseKey(event);
  const tries = [state.setIfAbsent(key, owner, lease), state.compareAndSet(key, owner, owner, lease)];
  return (await Promise.all(tries)).includes(true);
};

/** One look at an event that somebody knew before; undefined when it changed in between. */
const takeOver = async (
  state: KvSpace,
  event: SourceEvent,
  owner: string,
): Promise<Held | 'again' | 'done' | 'busy' | undefined> => {
  const key = eventKey(event);
  const value = await state.get(key);
  if (value === null) return undefined;
  if (value === 'done') return 'done';
  if (value === claimOf(owner)) return (await state.compareAndSet(key, value, value, lease)) ? 'again' : undefined;
  if (!isObserved(value) || !(await takeLease(state, event, owner))) return 'busy';
  return (await state.compareAndSet(key, value, observedBy(owner), kept)) ? 'message' : undefined;
};

/** Claims an event. A claim of this very owner from before a crash is taken up at once. */
export const claimEvent = async (
  state: KvSpace,
  event: SourceEvent,
  owner: string,
): Promise<Held | 'again' | 'done' | 'busy'> => {
  for (let tries = 0; tries < 3; tries += 1) {
    if (await state.setIfAbsent(eventKey(event), claimOf(owner), lease)) return 'all';
    const found = await takeOver(state, event, owner);
    if (found) return found;
  }
  return 'busy';
};

/** Starts the lease anew; false when it is not the owner's any more. */
export const renewClaim = (state: KvSpace, event: SourceEvent, owner: string, held: Held): Promise<boolean> =>
  held === 'all'
    ? state.compareAndSet(eventKey(event), claimOf(owner), claimOf(owner), lease)
    : state.compareAndSet(leaseKey(event), owner, owner, lease);

/** Writes that the observation is accepted over everything that says less; true when the mark is the owner's. */
const observe = async (state: KvSpace, event: SourceEvent, owner: string): Promise<boolean> => {
  const key = eventKey(event);
  for (let tries = 0; tries < 3; tries += 1) {
    const value = await state.get(key);
    if (value === null) {
      if (await state.setIfAbsent(key, observedBy(owner), kept)) return true;
    } else if (value === 'done' || isObserved(value)) return value === observedBy(owner);
    // Another worker took the expired claim: its next renewal fails, and it learns of the mark.
    else if (await state.compareAndSet(key, value, observedBy(owner), kept)) return true;
  }
  return false;
};

/**
 * The platform has accepted the observation, the message is due. True when the event is still the owner's: the lease is taken before the
 * mark, so that nobody finds the mark without it.
 */
export const markObserved = async (state: KvSpace, event: SourceEvent, owner: string): Promise<boolean> => {
  const [leased, marked] = await Promise.all([
    takeLease(state, event, owner),
    state.compareAndSet(eventKey(event), claimOf(owner), observedBy(owner), kept),
  ]);
  return (marked || (await observe(state, event, owner))) && leased;
};

/** The platform has accepted all of it. Nothing says more, so it is written over everything. */
export const markDone = (state: KvSpace, event: SourceEvent): Promise<void> => state.set(eventKey(event), 'done', kept);

/** Tells a store that was away what it missed; never less than it knows by now. */
export const markLate = async (state: KvSpace, key: string, mark: 'obs' | 'done', owner: string): Promise<true> => {
  if (mark === 'done') await state.set(key, 'done', kept);
  else if (!(await state.setIfAbsent(key, 'obs', kept))) await state.compareAndSet(key, claimOf(owner), 'obs', kept);
  return true;
};

/** Gives an event back, so that nobody waits for the lease. What is not the owner's is left alone. */
export const releaseClaim = async (state: KvSpace, event: SourceEvent, owner: string): Promise<void> => {
  await Promise.all([
    state.compareAndDelete(eventKey(event), claimOf(owner)),
    state.compareAndSet(eventKey(event), observedBy(owner), 'obs', kept),
    state.compareAndDelete(leaseKey(event), owner),
  ]);
};
