import type { SourceEvent } from '@ranger-relay/contracts';
import type { KvSpace } from '@ranger-relay/kv';

/** The event that a key identifies. */
type EventRef = Pick<SourceEvent, 'integration_id' | 'event_id'>;

/** Key of an event's mark in the state space (device contract, forwarder: phase 1). */
export const eventKey = (event: EventRef): string => `event.${event.integration_id}.${event.event_id}`;

/** Key of the lease on an event whose observation was accepted. The mark must outlive the worker that sends the message. */
const leaseKey = (event: EventRef): string => `lease.${event.integration_id}.${event.event_id}`;

/**
 * The claims of the device contract (forwarder: phases 1 and 2), one event at a time. The event's key passes through these states:
 *
 *     absent → claimed:<owner> → obs:<owner> ⇄ obs → done
 *
 * `claimed` is itself a lease that its TTL ends. `obs` and `obs:<owner>` record what the platform accepted and stay
 * for days, so the worker that sends the message holds a lease under a separate key; only its holder moves the mark
 * between these two. Only the store's clock counts.
 */

/** How long a claim holds without renewal, ms. */
export const leaseMs = 15_000;
/** How long a mark stays: the vendor resends an event for up to 5 days, ms. */
export const markMs = 6 * 86_400_000;

/** What the owner of a claim must still send: the whole event, or the message alone. */
export type Held = 'all' | 'message';

const lease = { ttlMs: leaseMs };
const kept = { ttlMs: markMs };
const claimOf = (owner: string): string => `claimed:${owner}`;
const observedBy = (owner: string): string => `obs:${owner}`;
const isObserved = (value: string): boolean => value === 'obs' || value.startsWith('obs:');

/** Takes the lease, or renews the owner's own, in one round trip. True when the owner now holds it. */
const takeLease = async (state: KvSpace, event: SourceEvent, owner: string): Promise<boolean> => {
  const key = leaseKey(event);
  const tries = [state.setIfAbsent(key, owner, lease), state.compareAndSet(key, owner, owner, lease)];
  return (await Promise.all(tries)).includes(true);
};

/** Tries once to take over an event that already has a key; undefined when the key changed meanwhile. */
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

/** Claims an event. A claim that the same owner made before a crash is resumed at once. */
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

/** Renews the lease; false when the owner no longer holds it. */
export const renewClaim = (state: KvSpace, event: SourceEvent, owner: string, held: Held): Promise<boolean> =>
  held === 'all'
    ? state.compareAndSet(eventKey(event), claimOf(owner), claimOf(owner), lease)
    : state.compareAndSet(leaseKey(event), owner, owner, lease);

/** Records the accepted observation over every earlier state; true when the mark is the owner's. */
const observe = async (state: KvSpace, event: SourceEvent, owner: string): Promise<boolean> => {
  const key = eventKey(event);
  for (let tries = 0; tries < 3; tries += 1) {
    const value = await state.get(key);
    if (value === null) {
      if (await state.setIfAbsent(key, observedBy(owner), kept)) return true;
    } else if (value === 'done' || isObserved(value)) return value === observedBy(owner);
    // Another worker took the expired claim: its next renewal fails, and it then sees the mark.
    else if (await state.compareAndSet(key, value, observedBy(owner), kept)) return true;
  }
  return false;
};

/**
 * Records that the platform accepted the observation and the message is due. True when the owner still holds the event. The lease is taken
 * before the mark, so that no worker finds the mark without its lease.
 */
export const markObserved = async (state: KvSpace, event: SourceEvent, owner: string): Promise<boolean> => {
  const [leased, marked] = await Promise.all([
    takeLease(state, event, owner),
    state.compareAndSet(eventKey(event), claimOf(owner), observedBy(owner), kept),
  ]);
  return (marked || (await observe(state, event, owner))) && leased;
};

/** Records that the platform accepted the whole event. `done` is the final state, so it overwrites every other. */
export const markDone = (state: KvSpace, event: SourceEvent): Promise<void> => state.set(eventKey(event), 'done', kept);

/** Writes a mark that the store missed while it was unavailable, unless the store has a later state by now. */
export const markLate = async (state: KvSpace, key: string, mark: 'obs' | 'done', owner: string): Promise<true> => {
  if (mark === 'done') await state.set(key, 'done', kept);
  else if (!(await state.setIfAbsent(key, 'obs', kept))) await state.compareAndSet(key, claimOf(owner), 'obs', kept);
  return true;
};

/** Releases an event so that no other worker waits for the lease to expire. Keys of other owners stay unchanged. */
export const releaseClaim = async (state: KvSpace, event: SourceEvent, owner: string): Promise<void> => {
  await Promise.all([
    state.compareAndDelete(eventKey(event), claimOf(owner)),
    state.compareAndSet(eventKey(event), observedBy(owner), 'obs', kept),
    state.compareAndDelete(leaseKey(event), owner),
  ]);
};
