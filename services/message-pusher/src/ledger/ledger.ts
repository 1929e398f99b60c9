import type { BelievedTime } from '@ranger-relay/actions';
import { isRelayError } from '@ranger-relay/errors';
import { epochKey, epochTime, type KvSpace } from '@ranger-relay/kv';
import { BoundedMap, type Clock, type Random, retry } from '@ranger-relay/runtime';
import { entryTtlMs, type LedgerEntry, readEntry } from './entry.ts';
import { type LedgerEvent, type LedgerRules, nextEntry, restOf, decide } from './transitions.ts';

const maxAccepted = 10_000;
const maxNoted = 100_000;

/** Runs a step on the store and retries it while the store is unavailable; undefined when the store stays unavailable. */
type StoreRetry = <T>(step: (state: KvSpace) => Promise<T>) => Promise<T | undefined>;

/** Retry budget of the platform contract, section 7: 5 attempts, 2^n + U(0,3) s, 30 s in all. */
const policy = { tries: 5, totalMs: 30_000, backoff: { baseMs: 1_000, maxMs: 16_000, jitterMs: 3_000 } };
/** After the retry budget was spent without success, each step gets a single attempt for this long, ms. */
const awayMs = 30_000;

/** Creates the retries of this process. Steps must be idempotent. */
export const createStoreRetry = (state: KvSpace, { clock, random }: { clock: Clock; random: Random }): StoreRetry => {
  let awayUntil = 0;
  const isAway = (): boolean => clock.monotonic() < awayUntil;
  const onError = (error: unknown, delayMs: number): number | null =>
    isRelayError(error, 'kv_unavailable') && !isAway() ? delayMs : null;

  return async (step) => {
    try {
      const done = await retry({ ...policy, clock, random, onError }, () => step(state));
      awayUntil = 0;
      return done;
    } catch (error) {
      if (!isRelayError(error, 'kv_unavailable')) throw error;
      if (!isAway()) awayUntil = clock.monotonic() + awayMs;
      return undefined;
    }
  };
};

/** A claimed text. */
export interface Claim {
  readonly key: string;
  readonly entry: LedgerEntry;
  /** When the write of the claim began, monotonic ms. */
  readonly since: number;
  /** The entry as stored; null when the store was unavailable. */
  readonly written: string | null;
}

/** Result of an attempt to claim a text. */
export type Claimed =
  /** The caller may send the text, and no other worker may. Without the store (`written` null) the latter is not guaranteed. */
  | { readonly kind: 'send'; readonly claim: Claim }
  /** Left to the operator; the caller settles `held` once the dead letter is stored. */
  | { readonly kind: 'held'; readonly claim: Claim }
  | { readonly kind: 'done'; readonly entry: LedgerEntry }
  | { readonly kind: 'busy' }
  /** The text may have been sent; it is retried after `restMs`. */
  | { readonly kind: 'resting'; readonly restMs: number }
  /** The store is unavailable, and PUSH_AMBIGUOUS=hold forbids sending without it. */
  | { readonly kind: 'away' };

/** The new entries as written, by key. */
export type Opened = ReadonlyMap<string, string>;

/** The send ledger (device contract, section 7). An unavailable store is a valid result, never an error. */
export interface Ledger {
  /**
   * Creates entries for texts that have none yet, in two round trips.
   * @param since when the texts arrived, ms since 1970: their age counts from here
   * @param again whether the push was delivered before: a text without an entry may then have been sent, and hold leaves it to the operator,
   *   as it does one that is older than the memory of the store
   * @returns the entries that are new, as written, by key
   */
  open(keys: readonly string[], since: number, again: boolean): Promise<Opened>;
  /**
   * Claims one text by compare-and-set.
   * @param opened what `open` wrote for the text: saves a read
   */
  claim(key: string, opened?: string): Promise<Claimed>;
  /** Whether a call that starts now ends before another worker may take over the text; false after the process was suspended. */
  isTimely(claim: Claim): boolean;
  /** Returns the entry as it would be after an event. */
  preview(claim: Claim, event: LedgerEvent): LedgerEntry;
  /** Writes the result for a claimed text. */
  settle(claim: Claim, event: LedgerEvent): Promise<void>;
}

/** Options of `createLedger`. */
interface LedgerOptions extends Omit<LedgerRules, 'now' | 'judgedAt'> {
  readonly state: KvSpace;
  readonly clock: Clock;
  /** The time by which the age of a text is judged. */
  readonly time: BelievedTime;
  readonly random: Random;
}

const ttl = { ttlMs: entryTtlMs };
/** A claim whose write took longer than this is written again: the call must end within the window, which starts with the write, ms. */
const slackMs = 3_000;
const maxTries = 5;

/** Replaces the entry that was read; false when it changed since. */
export const replace = (state: KvSpace, key: string, from: string | null, to: string): Promise<boolean> =>
  from === null ? state.setIfAbsent(key, to, ttl) : state.compareAndSet(key, from, to, ttl);

/** Replaces the claimed entry. Only acceptance overwrites what another worker wrote since. */
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

/** Whether a text came before the memory of the store begins, so that an entry of it may be lost. */
const isOlderThan = async (store: KvSpace, since: number): Promise<boolean> => {
  const epoch = await store.get(epochKey);
  return epoch !== null && since < epochTime(epoch);
};

/** Creates the ledger of this process. */
export const createLedger = ({ state, clock, time, random, ...fixed }: LedgerOptions): Ledger => {
  const withStoreRetry = createStoreRetry(state, { clock, random });
  /** Texts that the vendor accepted, for the time that the store does not have them. */
  const accepted = new BoundedMap<LedgerEntry>(maxAccepted);
  /** Texts that the store had an entry of: where it has none now, it was emptied, or is an older copy. */
  const noted = new BoundedMap<true>(maxNoted);
  /** Texts whose first delivery found no store here: with hold nobody sends without it, so they were not sent. */
  const unopened = new BoundedMap<true>(maxNoted);
  const rules = (): LedgerRules => ({ ...fixed, now: clock.now(), judgedAt: time() });

  /** Checks both clocks: the monotonic clock stops while the machine sleeps. */
  const isTimely = ({ since, entry: { updated_at: at } }: Claim): boolean =>
    clock.monotonic() - since <= slackMs && clock.now() - Date.parse(at) <= slackMs;

  /** Writes once over the entry that was read; undefined when the entry changed since, or the write took too long to rely on. */
  const tryClaim = async (
    store: KvSpace,
    { key, owner, written }: { key: string; owner: string; written: string | null },
  ): Promise<Claimed | undefined> => {
    const known = accepted.get(key);
    if (known) {
      await settleStep(store, { key, written: null }, known);
      return { kind: 'done', entry: known };
    }
    const since = clock.monotonic();
    const entry = readEntry(written);
    const ours = entry?.state === 'sending' && entry.owner === owner;
    const decision = ours ? 'send' : decide(entry, rules());
    if (decision === 'busy') return { kind: 'busy' };
    if (entry !== null && decision === 'resting') return { kind: 'resting', restMs: restOf(entry, rules()) };
    if (entry !== null && decision === 'done') return { kind: 'done', entry };
    if (entry !== null && decision === 'held') return { kind: 'held', claim: { key, entry, written, since } };
    const next = nextEntry(entry, { kind: 'claimed', owner }, rules());
    const text = JSON.stringify(next);
    const won = await replace(store, key, written, text);
    const claim = { key, entry: next, written: text, since };
    return won && isTimely(claim) ? { kind: 'send', claim } : undefined;
  };

  const claimStep = async (store: KvSpace, key: string, owner: string, opened?: string): Promise<Claimed> => {
    for (let attempt = 0; attempt < maxTries; attempt += 1) {
      const written = attempt === 0 && opened !== undefined ? opened : await store.get(key);
      const claimed = await tryClaim(store, { key, owner, written });
      if (claimed) return claimed;
    }
    return { kind: 'busy' };
  };

  const withoutStore = (key: string, owner: string): Claimed => {
    const known = accepted.get(key);
    if (known) return { kind: 'done', entry: known };
    if (fixed.ambiguous === 'hold') return { kind: 'away' };
    const entry = nextEntry(null, { kind: 'claimed', owner }, rules());
    return { kind: 'send', claim: { key, entry, written: null, since: clock.monotonic() } };
  };

  return {
    async open(keys, since, again) {
      const now = Math.min(since, clock.now(), time() ?? Infinity);
      const textOf = (key: string, isForgotten: boolean): string => {
        const mayBeSent = ((again || isForgotten) && !unopened.has(key)) || noted.has(key);
        const seen = { kind: 'seen', again: mayBeSent } as const;
        return JSON.stringify(nextEntry(null, seen, { ...fixed, now, judgedAt: null }));
      };
      let texts: ReadonlyMap<string, string> = new Map();
      const isNew = await withStoreRetry(async (store) => {
        const isForgotten = fixed.ambiguous === 'hold' && (await isOlderThan(store, since));
        texts = new Map(keys.map((key) => [key, textOf(key, isForgotten)]));
        return Promise.all(keys.map((key) => store.setIfAbsent(key, texts.get(key) ?? '', ttl)));
      });
      if (isNew) for (const key of keys) noted.set(key, true);
      else if (!again && fixed.ambiguous === 'hold') for (const key of keys) unopened.set(key, true);
      return new Map([...texts].filter((_, at) => isNew?.[at]));
    },

    async claim(key, opened) {
      const owner = random.uuid();
      return (await withStoreRetry((store) => claimStep(store, key, owner, opened))) ?? withoutStore(key, owner);
    },

    isTimely,
    preview: (claim, event) => nextEntry(claim.entry, event, rules()),

    async settle(claim, event) {
      const next = nextEntry(claim.entry, event, rules());
      if (next === claim.entry) return;
      if (next.state === 'accepted') accepted.set(claim.key, next);
      await withStoreRetry((store) => settleStep(store, claim, next));
    },
  };
};
