import type { SourceEvent } from '@ranger-relay/contracts';
import type { KvSpace } from '@ranger-relay/kv';
import { type Clock, repeatAtRate } from '@ranger-relay/runtime';
import type { StoreAccess } from './store-access.ts';

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
 * between these two. Only the store's clock counts. An owner is one batch of a worker: a release that the store
 * executes late must not release what a later batch of the same worker has claimed.
 */

/** How long a claim holds without renewal, ms. */
export const leaseMs = 15_000;
/** How long a mark stays: the vendor resends an event for up to 5 days, ms. */
export const markMs = 6 * 86_400_000;

/** What the owner of a claim must still send: the whole event, or the message alone. */
type Held = 'all' | 'message';

const lease = { ttlMs: leaseMs };
const kept = { ttlMs: markMs };
const claimOf = (owner: string): string => `claimed:${owner}`;
const observedBy = (owner: string): string => `obs:${owner}`;
/** The worker among the owners: each of its batches is an owner of its own. */
const workerOf = (owner: string): string => owner.replace(/#\d+$/, '');
/** Whether an earlier batch of the same worker left a value behind. */
const isOwnLeftover = (value: string, mine: string): boolean => workerOf(value) === workerOf(mine);
const isObserved = (value: string): boolean => value === 'obs' || value.startsWith('obs:');

/** Takes the lease when it is free or the worker's own. True when the owner now holds it. */
const takeLease = async (state: KvSpace, event: SourceEvent, owner: string): Promise<boolean> => {
  const key = leaseKey(event);
  const [taken, holder] = await Promise.all([state.setIfAbsent(key, owner, lease), state.get(key)]);
  if (taken || holder === null) return taken;
  return isOwnLeftover(holder, owner) && state.compareAndSet(key, holder, owner, lease);
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
  const mine = claimOf(owner);
  if (isOwnLeftover(value, mine)) return (await state.compareAndSet(key, value, mine, lease)) ? 'again' : undefined;
  if (!isObserved(value) || !(await takeLease(state, event, owner))) return 'busy';
  return (await state.compareAndSet(key, value, observedBy(owner), kept)) ? 'message' : undefined;
};

/** Claims an event. A claim that an earlier batch of the same worker left behind is resumed at once. */
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
const renewClaim = (state: KvSpace, event: SourceEvent, owner: string, held: Held): Promise<boolean> =>
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
export const markLate = async (state: KvSpace, key: string, mark: Mark, owner: string): Promise<void> => {
  if (mark === 'done') await state.set(key, 'done', kept);
  else if (!(await state.setIfAbsent(key, 'obs', kept))) await state.compareAndSet(key, claimOf(owner), 'obs', kept);
};

/** Releases an event so that no other worker waits for the lease to expire. Keys of other owners stay unchanged. */
const releaseClaim = async (state: KvSpace, event: SourceEvent, owner: string): Promise<void> => {
  await Promise.all([
    state.compareAndDelete(eventKey(event), claimOf(owner)),
    state.compareAndSet(eventKey(event), observedBy(owner), 'obs', kept),
    state.compareAndDelete(leaseKey(event), owner),
  ]);
};

/** What the worker must still send of an event, according to the store (device contract, forwarder: phase 1). */
export type Claim =
  /** Claimed by this worker; observation and message are due. */
  | 'all'
  /** Like `all`, but a worker that ended without releasing its claim may have sent them. */
  | 'again'
  /** Claimed by this worker; the observation was accepted before, the message is due. */
  | 'message'
  /** Sent before: the worker drops it. */
  | 'done'
  /** Another worker holds the claim. */
  | 'busy'
  /** The store is unavailable: the worker sends without deduplication. */
  | 'unclaimed';

/** What the platform has accepted of an event: its observation, or all of it. */
export type Mark = 'obs' | 'done';

/** The claims of one worker on the events of a batch. They are renewed until they are released. */
export interface Claims {
  /** Result of the claim for each event, in batch order. */
  readonly found: readonly Claim[];
  /**
   * Whether this worker still holds these events exclusively. Leases that may have expired, for example after the process was suspended,
   * are renewed first. An unavailable store does not count as a lost claim.
   */
  stillOurs(events: readonly SourceEvent[]): Promise<boolean>;
  /** Records what the platform accepted, after its 200. An unavailable store is not an error. */
  mark(event: SourceEvent, mark: Mark): Promise<void>;
  /** Releases the claims on these events (on all, when left out) unless they are done. */
  release(events?: readonly SourceEvent[]): Promise<void>;
}

/** How often claims are renewed, ms. */
export const renewMs = 5_000;
/** A call requires a lease with at least this much time left; a lease has less only after two failed renewals, ms. */
const safeMs = leaseMs - 2 * renewMs;

/** Dependencies of the claims of a batch. */
export interface ClaimsDependencies {
  readonly state: KvSpace;
  readonly clock: Clock;
  readonly ask: StoreAccess['ask'];
  readonly owner: string;
  readonly events: readonly SourceEvent[];
  readonly found: readonly Claim[];
  /** When claiming began, monotonic ms: leases start then at the earliest. */
  readonly since: number;
  /** Called for a mark, for a mark that the store did not take, and for an event that is done or released. */
  readonly onMark: (key: string, mark: Mark) => void;
  readonly onMissed: (key: string, mark: Mark) => void;
  readonly onEnd: (key: string) => void;
}

/** One claimed event. `held` is undefined when the store is unavailable; `lost` is true when another worker may hold the event. */
interface Entry {
  readonly event: SourceEvent;
  held: Held | undefined;
  lost: boolean;
  /** The lease runs at least until then, monotonic ms. */
  until: number;
}

const heldOf = (claim: Claim): Held | undefined => {
  if (claim === 'again') return 'all';
  return claim === 'all' || claim === 'message' ? claim : undefined;
};

/** Holds and renews the claims that were made for a batch. */
export const holdClaims = (parts: ClaimsDependencies): Claims => {
  const { state, clock, ask, owner, events, found, since, onMark, onMissed, onEnd } = parts;
  const inHand = (event: SourceEvent, claim: Claim): Entry => ({
    event,
    held: heldOf(claim),
    lost: false,
    until: since + leaseMs,
  });
  const entries = new Map<string, Entry>();
  for (const [index, event] of events.entries()) {
    const claim = found[index] as Claim;
    if (claim !== 'done' && claim !== 'busy') entries.set(eventKey(event), inHand(event, claim));
  }

  /** True when the lease was renewed, false when it is lost, undefined when the store did not respond. */
  const renew = async (entry: Entry): Promise<boolean | undefined> => {
    const { event, held } = entry;
    if (held === undefined || entry.lost) return undefined;
    const from = clock.monotonic();
    const ours = await ask(() => renewClaim(state, event, owner, held));
    // The event was marked meanwhile: the response refers to the previous lease.
    if (entry.held !== held) return undefined;
    if (ours) entry.until = from + leaseMs;
    if (ours === false) entry.lost = true;
    return ours;
  };

  const runsOut = ({ until }: Entry): boolean => until - clock.monotonic() < safeMs;

  /** Renews leases that may have expired. Returns those that may still have expired because each response came late. */
  const renewDue = async (entriesDue: readonly Entry[]): Promise<readonly Entry[]> => {
    let unsure = entriesDue.filter(runsOut);
    for (let tries = 0; tries < 3 && unsure.length > 0; tries += 1) {
      const answers = await Promise.all(unsure.map(renew));
      unsure = unsure.filter((entry, index) => answers[index] === true && runsOut(entry));
    }
    return unsure;
  };

  const stopRenewing = repeatAtRate({ clock, everyMs: renewMs }, () => {
    for (const entry of entries.values()) void renew(entry);
  });

  const observed = async (entry: Entry): Promise<void> => {
    const from = clock.monotonic();
    entry.held = 'message';
    const ours = await ask(() => markObserved(state, entry.event, owner));
    if (ours) entry.until = from + leaseMs;
    if (ours === undefined) onMissed(eventKey(entry.event), 'obs');
    entry.lost = ours === false;
  };

  const drop = (key: string): void => {
    entries.delete(key);
    onEnd(key);
    if (entries.size === 0) void stopRenewing();
  };

  if (entries.size === 0) void stopRenewing();
  return {
    found,

    async stillOurs(wanted) {
      const due = wanted.flatMap((event) => entries.get(eventKey(event)) ?? []);
      const unsure = await renewDue(due);
      return unsure.length === 0 && due.length === wanted.length && due.every(({ lost }) => !lost);
    },

    async mark(event, mark) {
      const key = eventKey(event);
      onMark(key, mark);
      if (mark === 'obs') return observed(entries.get(key) ?? inHand(event, 'message'));
      const marked = await ask(async () => (await markDone(state, event), true));
      if (!marked) onMissed(key, mark);
      drop(key);
    },

    async release(these) {
      const keys = these?.map(eventKey) ?? [...entries.keys()];
      const going = keys.flatMap((key) => entries.get(key) ?? []);
      for (const { event } of going) entries.delete(eventKey(event));
      if (entries.size === 0) void stopRenewing();
      await Promise.all(going.map(({ event }) => ask(() => releaseClaim(state, event, owner))));
      for (const { event } of going) onEnd(eventKey(event));
    },
  };
};
