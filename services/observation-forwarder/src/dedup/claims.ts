import type { SourceEvent } from '@ranger-relay/contracts';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { eventKey, type Held, leaseMs, markDone, markObserved, releaseClaim, renewClaim } from './claim.ts';

/** What is left to do for an event, as the store knows it (device contract, forwarder: phase 1). */
export type Claim =
  /** Ours; observation and message are due. */
  | 'all'
  /** As `all`; a worker that has ended without a word may have sent them. */
  | 'again'
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

/** The events of one batch in the hands of one worker, renewed until they are released. */
export interface Claims {
  /** What the store knew of each event, in the order of the batch. */
  readonly found: readonly Claim[];
  /**
   * Whether sending these now is sending them alone. A lease that could have run out (the process stood still) is renewed first. Losing the
   * store means acting anyway: its absence is no reason against.
   */
  stillOurs(events: readonly SourceEvent[]): Promise<boolean>;
  /** After the platform's 200: what is now accepted. The store's absence is no error. */
  mark(event: SourceEvent, mark: Mark): Promise<void>;
  /** Gives these back (all, when left out) unless they are done. */
  release(events?: readonly SourceEvent[]): Promise<void>;
}

/** How often claims are renewed, ms. */
export const renewMs = 5_000;
/** A call may go out when the lease has at least so long to run: two renewals must have failed before it has not, ms. */
const safeMs = leaseMs - 2 * renewMs;

/** Asks the store once; undefined when it is away. */
export type Ask = <T>(call: () => Promise<T>) => Promise<T | undefined>;

/** What the claims of a batch work with. */
export interface ClaimsDependencies {
  readonly state: KvSpace;
  readonly clock: Clock;
  readonly ask: Ask;
  readonly owner: string;
  readonly events: readonly SourceEvent[];
  readonly found: readonly Claim[];
  /** When the claiming began, monotonic: leases run from then on at the earliest. */
  readonly since: number;
  /** Learns of marks, of those that the store did not take, and of events that are let go. */
  readonly onMark: (key: string, mark: Mark) => void;
  readonly onMissed: (key: string, mark: Mark) => void;
  readonly onEnd: (key: string) => void;
}

/** One event in hand. `held` is undefined without the store, `lost` when another worker may have it. */
interface Entry {
  readonly event: SourceEvent;
  held: Held | undefined;
  lost: boolean;
  /** The lease runs until then at least, monotonic ms. */
  until: number;
}

const heldOf = (claim: Claim): Held | undefined => {
  if (claim === 'again') return 'all';
  return claim === 'all' || claim === 'message' ? claim : undefined;
};

/** Keeps the claims that were made for a batch. */
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

  /** True when the lease was renewed, undefined when the store could not say. */
  const renew = async (entry: Entry): Promise<boolean | undefined> => {
    const { event, held } = entry;
    if (held === undefined || entry.lost) return undefined;
    const from = clock.monotonic();
    const ours = await ask(() => renewClaim(state, event, owner, held));
    // Marked in the meantime: what was asked is not what holds the event now.
    if (entry.held !== held) return undefined;
    if (ours) entry.until = from + leaseMs;
    if (ours === false) entry.lost = true;
    return ours;
  };

  const runsOut = ({ until }: Entry): boolean => until - clock.monotonic() < safeMs;

  /** Renews leases that could have run out; those that still could, because each answer came late. */
  const renewDue = async (entriesDue: readonly Entry[]): Promise<readonly Entry[]> => {
    let unsure = entriesDue.filter(runsOut);
    for (let tries = 0; tries < 3 && unsure.length > 0; tries += 1) {
      const answers = await Promise.all(unsure.map(renew));
      unsure = unsure.filter((entry, index) => answers[index] === true && runsOut(entry));
    }
    return unsure;
  };

  const tick = (): void => {
    for (const entry of entries.values()) void renew(entry);
    timer = clock.after(renewMs, tick);
  };
  let timer = clock.after(renewMs, tick);

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
    if (entries.size === 0) timer.cancel();
  };

  if (entries.size === 0) timer.cancel();
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
      if (entries.size === 0) timer.cancel();
      await Promise.all(going.map(({ event }) => ask(() => releaseClaim(state, event, owner))));
      for (const { event } of going) onEnd(eventKey(event));
    },
  };
};
