import type { BelievedTime } from '@ranger-relay/actions';
import { isRelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import { type Clock, delayFor, type Random } from '@ranger-relay/runtime';
import { entryTtlMs, type LedgerEntry, type LedgerKey, readEntry, withoutCopy, writeCopy } from './entry.ts';
import { type LedgerEvent, type LedgerRules, nextEntry, restOf, standingOf } from './transitions.ts';

/** Texts that the vendor took from this process, for the time that the store does not know it. */
interface AcceptedHere {
  add(key: string, entry: LedgerEntry): void;
  get(key: string): LedgerEntry | undefined;
}

const maxAccepted = 10_000;

/** Makes an empty memory; the oldest go first. */
export const rememberAccepted = (limit = maxAccepted): AcceptedHere => {
  const entries = new Map<string, LedgerEntry>();
  return {
    add(key, entry) {
      entries.delete(key);
      entries.set(key, entry);
      const [oldest] = entries.keys();
      if (entries.size > limit && oldest !== undefined) entries.delete(oldest);
    },
    get: (key) => entries.get(key),
  };
};

/** Carries out a step on the store, again while the store is away; undefined when it stays away. */
type Patience = <T>(step: (state: KvSpace) => Promise<T>) => Promise<T | undefined>;

const tries = 5;
const totalMs = 30_000;
const backoff = { baseMs: 1_000, maxMs: 16_000, jitterMs: 3_000 };
/** After a budget was used up for nothing, the store is asked only once each time for so long. */
const awayMs = 30_000;

/** The budget of the platform contract, section 7: 5 tries, 2^n + U(0,3) s, 30 s in all. Steps must bear repetition. */
export const createPatience = (state: KvSpace, { clock, random }: { clock: Clock; random: Random }): Patience => {
  let awayUntil = 0;

  return async (step) => {
    const end = clock.monotonic() + totalMs;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const done = await step(state);
        awayUntil = 0;
        return done;
      } catch (error) {
        if (!isRelayError(error, 'kv_unavailable')) throw error;
        if (clock.monotonic() < awayUntil) return undefined;
        const delay = delayFor(backoff, attempt, random);
        if (attempt + 1 >= tries || clock.monotonic() + delay > end) {
          awayUntil = clock.monotonic() + awayMs;
          return undefined;
        }
        await clock.sleep(delay);
      }
    }
  };
};

/** A text in hand. */
export interface Claim {
  readonly key: string;
  /** The key of the release before, where its acceptance is written too. */
  readonly before: string;
  readonly entry: LedgerEntry;
  /** When its writing began, monotonic ms. */
  readonly since: number;
  /** The entry as it stands in the store; null when the store was away. */
  readonly written: string | null;
}

/** What became of an attempt to take a text in hand. */
export type Claimed =
  /** It may be sent now, and by nobody else. Without the store (`written` null) nobody can promise the latter. */
  | { readonly kind: 'send'; readonly claim: Claim }
  /** For a person; `held` is to be settled once the dead letter is stored. */
  | { readonly kind: 'held'; readonly claim: Claim }
  | { readonly kind: 'done'; readonly entry: LedgerEntry }
  | { readonly kind: 'busy' }
  /** It may have been sent, and is sent again after so long, ms. */
  | { readonly kind: 'resting'; readonly restMs: number }
  /** The store is away, and with PUSH_AMBIGUOUS=hold nothing is sent without it. */
  | { readonly kind: 'away' };

/** New entries, as written, by key. */
export type Opened = ReadonlyMap<string, string>;

/** The send ledger (device contract, section 7). The store's absence is an answer, never an error. */
export interface Ledger {
  /**
   * Notes texts that nobody has seen before, in two round trips.
   * @param since when they came, ms since 1970: their age counts from here
   * @returns the entries that are new, as written, by key
   */
  open(keys: readonly LedgerKey[], since: number): Promise<Opened>;
  /**
   * Takes one text in hand, by compare-and-set.
   * @param opened what `open` wrote for it: spares the look
   */
  claim(key: LedgerKey, opened?: string): Promise<Claimed>;
  /** Whether a call that begins now ends before another worker may take the text over; a process that stood still says no. */
  isTimely(claim: Claim): boolean;
  /** What the entry would be after an event. */
  foresee(claim: Claim, event: LedgerEvent): LedgerEntry;
  /** Writes what became of a text in hand. */
  settle(claim: Claim, event: LedgerEvent): Promise<void>;
}

/** How the ledger is kept. */
interface LedgerOptions extends Omit<LedgerRules, 'now' | 'judgedAt'> {
  readonly state: KvSpace;
  readonly clock: Clock;
  /** By which a text is too old. */
  readonly time: BelievedTime;
  readonly random: Random;
}

const ttl = { ttlMs: entryTtlMs };
/** A claim that took longer to write is written anew: the call must end before the window does, and that begins with the write. */
const slackMs = 3_000;
const maxTries = 5;

/** Writes an entry over the text that was read; false when it changed since. */
export const replace = (state: KvSpace, key: string, from: string | null, to: string): Promise<boolean> =>
  from === null ? state.setIfAbsent(key, to, ttl) : state.compareAndSet(key, from, to, ttl);

/** Writes an entry over the one that was in hand. Only acceptance is written over what somebody else wrote since. */
const settleStep = async (
  store: KvSpace,
  { key, written }: Pick<Claim, 'key' | 'written'>,
  next: LedgerEntry,
): Promise<void> => {
  const text = JSON.stringify(next);
  if (written !== null && (await store.compareAndSet(key, written, text, ttl))) return;
  const now = await store.get(key);
  if (now === null) await store.setIfAbsent(key, text, ttl);
  else if (next.state === 'accepted' && now !== text) await store.set(key, text, ttl);
};

/** What stands under the key, and under that of the release before. */
export const readBoth = (store: KvSpace, { key, before }: LedgerKey): Promise<[string | null, string | null]> =>
  Promise.all([store.get(key), store.get(before).then(withoutCopy)]);

/** Makes the ledger of this process. */
export const createLedger = ({ state, clock, time, random, ...fixed }: LedgerOptions): Ledger => {
  const patiently = createPatience(state, { clock, random });
  const accepted = rememberAccepted();
  const rules = (): LedgerRules => ({ ...fixed, now: clock.now(), judgedAt: time() });

  /** By both clocks: the monotonic one stands still in a machine that sleeps. */
  const isTimely = ({ since, entry: { updated_at: at } }: Claim): boolean =>
    clock.monotonic() - since <= slackMs && clock.now() - Date.parse(at) <= slackMs;

  /**
   * One write over what was seen; undefined when the entry changed since, or the write took too long to rely on.
   * @param before what stands under the key of the release before; counts while nothing stands under this one
   */
  const tryClaim = async (
    store: KvSpace,
    { at, owner, written, before }: { at: LedgerKey; owner: string; written: string | null; before: string | null },
  ): Promise<Claimed | undefined> => {
    const { key } = at;
    const known = accepted.get(key);
    if (known) {
      await settleStep(store, { key, written: null }, known);
      return { kind: 'done', entry: known };
    }
    const since = clock.monotonic();
    const entry = readEntry(written ?? before);
    const ours = entry?.state === 'sending' && entry.owner === owner;
    const standing = ours ? 'send' : standingOf(entry, rules());
    if (standing === 'busy') return { kind: 'busy' };
    if (entry !== null && standing === 'resting') return { kind: 'resting', restMs: restOf(entry, rules()) };
    if (entry !== null && standing === 'done') return { kind: 'done', entry };
    if (entry !== null && standing === 'held') return { kind: 'held', claim: { ...at, entry, written, since } };
    const next = nextEntry(entry, { kind: 'claimed', owner }, rules());
    const text = JSON.stringify(next);
    const won = await replace(store, key, written, text);
    const claim = { ...at, entry: next, written: text, since };
    return won && isTimely(claim) ? { kind: 'send', claim } : undefined;
  };

  const claimStep = async (store: KvSpace, at: LedgerKey, owner: string, opened?: string): Promise<Claimed> => {
    for (let attempt = 0; attempt < maxTries; attempt += 1) {
      const isOpened = attempt === 0 && opened !== undefined;
      const [written, before] = isOpened ? [opened, null] : await readBoth(store, at);
      const claimed = await tryClaim(store, { at, owner, written, before });
      if (claimed) return claimed;
    }
    return { kind: 'busy' };
  };

  const withoutStore = (at: LedgerKey, owner: string): Claimed => {
    const known = accepted.get(at.key);
    if (known) return { kind: 'done', entry: known };
    if (fixed.ambiguous === 'hold') return { kind: 'away' };
    const entry = nextEntry(null, { kind: 'claimed', owner }, rules());
    return { kind: 'send', claim: { ...at, entry, written: null, since: clock.monotonic() } };
  };

  return {
    async open(keys, since) {
      const now = Math.min(since, clock.now(), time() ?? Infinity);
      const text = JSON.stringify(nextEntry(null, { kind: 'seen' }, { ...fixed, now, judgedAt: null }));
      const open = async (store: KvSpace, { key, before }: LedgerKey): Promise<boolean> =>
        withoutCopy(await store.get(before)) === null && store.setIfAbsent(key, text, ttl);
      const isNew = await patiently((store) => Promise.all(keys.map((key) => open(store, key))));
      return new Map(keys.filter((_, at) => isNew?.[at]).map(({ key }) => [key, text]));
    },

    async claim(at, opened) {
      const owner = random.uuid();
      return (await patiently((store) => claimStep(store, at, owner, opened))) ?? withoutStore(at, owner);
    },

    isTimely,
    foresee: (claim, event) => nextEntry(claim.entry, event, rules()),

    async settle(claim, event) {
      const next = nextEntry(claim.entry, event, rules());
      if (next === claim.entry) return;
      const isAccepted = next.state === 'accepted';
      if (isAccepted) accepted.add(claim.key, next);
      // Nothing comes after acceptance, so whoever writes the copy last writes the same.
      const copy = (store: KvSpace): unknown => isAccepted && store.set(claim.before, writeCopy(next, claim), ttl);
      await patiently((store) => Promise.all([settleStep(store, claim, next), copy(store)]));
    },
  };
};
