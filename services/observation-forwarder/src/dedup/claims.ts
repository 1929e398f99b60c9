import type { SourceEvent } from '@ranger-relay/contracts';
import type { KvSpace } from '@ranger-relay/kv';
import { type Clock, repeatAtRate } from '@ranger-relay/runtime';
import { eventKey, type Held, leaseMs, markDone, markObserved, releaseClaim, renewClaim } from './claim.ts';

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

/** Calls the store once; undefined when it is unavailable. */
export type Ask = <T>(call: () => Promise<T>) => Promise<T | undefined>;

/** Dependencies of the claims of a batch. */
export interface ClaimsDependencies {
  readonly state: KvSpace;
  readonly clock: Clock;
  readonly ask: Ask;
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

  /** True when the lease was renewed, false when it is lost, undefined when the store gave no answer. */
  const renew = async (entry: Entry): Promise<boolean | undefined> => {
    const { event, held } = entry;
    if (held === undefined || entry.lost) return undefined;
    const from = clock.monotonic();
    const ours = await ask(() => renewClaim(state, event, owner, held));
    // The event was marked meanwhile: the answer refers to the previous lease.
    if (entry.held !== held) return undefined;
    if (ours) entry.until = from + leaseMs;
    if (ours === false) entry.lost = true;
    return ours;
  };

  const runsOut = ({ until }: Entry): boolean => until - clock.monotonic() < safeMs;

  /** Renews leases that may have expired. Returns those that may still have expired because each answer came late. */
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
      const told = await ask(async () => (await markDone(state, event), true));
      if (!told) onMissed(key, mark);
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
