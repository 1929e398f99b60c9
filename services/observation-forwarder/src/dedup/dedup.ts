import type { SourceEvent } from '@ranger-relay/contracts';
import { isRelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import { BoundedMap, type Clock } from '@ranger-relay/runtime';
import {
  type Ask,
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

/** Marks that the store missed while it was unavailable. They are written as soon as it answers, for the next owner of the partition. */
interface MissedMarks {
  /** Keeps a mark that the store did not take; a later mark of the same event replaces it. */
  note(key: string, mark: Mark, owner: string): void;
}

/** Dependencies of the missed marks. */
interface MissedMarksDependencies {
  readonly state: KvSpace;
  readonly clock: Clock;
  readonly ask: Ask;
  /** Pause between two attempts, ms. */
  readonly pauseMs: number;
  /** Maximum number of marks; the oldest are dropped. */
  readonly limit: number;
}

interface Missed {
  readonly mark: Mark;
  readonly owner: string;
}

/** Marks written in parallel: one round trip of moderate size. */
const atOnce = 500;

/** Keeps the missed marks of one process. */
const keepMissedMarks = ({ state, clock, ask, pauseMs, limit }: MissedMarksDependencies): MissedMarks => {
  const missed = new BoundedMap<Missed>(limit);
  let waiting = false;

  const writeOne = async ([key, entry]: [string, Missed]): Promise<boolean> => {
    const written = await ask(() => markLate(state, key, entry.mark, entry.owner));
    if (written && missed.get(key) === entry) missed.delete(key);
    return written === true;
  };

  const writeAll = async (): Promise<void> => {
    while (missed.size > 0) {
      const some = await Promise.all([...missed].slice(0, atOnce).map(writeOne));
      if (some.includes(false)) return;
    }
  };

  const later = (): void => {
    if (waiting || missed.size === 0) return;
    waiting = true;
    clock.after(pauseMs, () => {
      void writeAll().finally(() => {
        waiting = false;
        later();
      });
    });
  };

  return {
    note(key, mark, owner) {
      missed.set(key, { mark, owner });
      later();
    },
  };
};

/** Two-phase deduplication: claim with a short lease, act, mark. */
export interface Dedup {
  /** Claims the events of a batch, each once, and renews the claims until they are marked done or released. */
  claim(owner: string, events: readonly SourceEvent[]): Promise<Claims>;
}

/** After a failed call, the process does not call the store for this long, ms. */
const awayMs = 500;
/** Number of marks kept in memory while the store is unavailable. */
const maxRemembered = 20_000;

/** Creates the deduplication on the store's state space. Each call is one attempt; an unavailable store is a valid result, not an error. */
export const createDedup = (state: KvSpace, clock: Clock): Dedup => {
  const recent = new BoundedMap<Mark>(maxRemembered);
  const seenBusy = new BoundedMap<true>(maxRemembered);
  /** Events claimed in this process: a batch of a revoked partition may still run when the partition is assigned again. */
  const inHand = new Set<string>();
  let awayUntil = 0;

  const ask: Ask = async (call) => {
    if (clock.monotonic() < awayUntil) return undefined;
    try {
      return await call();
    } catch (error) {
      if (!isRelayError(error, 'kv_unavailable')) throw error;
      awayUntil = clock.monotonic() + awayMs;
      return undefined;
    }
  };

  const missed = keepMissedMarks({ state, clock, ask, pauseMs: awayMs, limit: maxRemembered });

  const fromMemory = (key: string): Claim => {
    const mark = recent.get(key);
    if (mark === undefined) return 'unclaimed';
    return mark === 'done' ? 'done' : 'message';
  };

  /** A store that was unavailable or emptied knows less than this process: writes the known mark, so that nothing is sent again. */
  const writeKnown = async (owner: string, event: SourceEvent, mark: Mark): Promise<Claim> => {
    if (mark === 'done') await ask(() => markDone(state, event));
    else await ask(() => markObserved(state, event, owner));
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
    async claim(owner, events) {
      const since = clock.monotonic();
      const free = takeInHand(events);
      try {
        const found = await Promise.all(
          events.map((event) => (free.has(eventKey(event)) ? claimOne(owner, event) : 'busy')),
        );
        const ended = events.filter((_, index) => found[index] === 'done' || found[index] === 'busy').map(eventKey);
        for (const key of ended) if (free.has(key)) drop(key);
        const onMark = (key: string, mark: Mark): unknown => recent.set(key, mark);
        const onMissed = (key: string, mark: Mark): void => missed.note(key, mark, owner);
        return holdClaims({ state, clock, ask, owner, events, found, since, onMark, onMissed, onEnd: drop });
      } catch (error) {
        free.forEach(drop);
        throw error;
      }
    },
  };
};
