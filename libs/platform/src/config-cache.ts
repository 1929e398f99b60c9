import type { EncryptedSpace } from '@ranger-relay/kv';
import { BoundedMap, type Clock } from '@ranger-relay/runtime';
import { ageOf, decodeEntry, type Entry, type EntryKind, freshMs, putEntry, staleMs } from './config-entry.ts';
import { entriesOf, type Loaded, type Loader } from './loader.ts';

/** An entry in memory. Times on the monotonic clock, ms. */
export interface CacheEntry {
  readonly entry: Entry;
  readonly cachedAt: number;
  /** After a failed reload, the entry is used until then, so that not every caller waits for the next reload. */
  readonly retryAt: number;
  /** When the next renewal in the background may start. */
  renewAt: number;
}

const maxCachedMs = 60_000;
const renewShare = 2 / 3;
/** Time during which callers do not wait for a reload that has just failed, ms. */
export const errorTtlMs = 10_000;

/** Both clocks at one moment. */
export interface Moment {
  readonly now: number;
  readonly monotonic: number;
}

/** An entry that was read or loaded now. */
export const cacheEntry = (entry: Entry, { monotonic }: Moment): CacheEntry => ({
  entry,
  cachedAt: monotonic,
  retryAt: 0,
  renewAt: 0,
});

/** An entry whose reload failed now. */
export const cacheStale = (entry: Entry, moment: Moment): CacheEntry => ({
  ...cacheEntry(entry, moment),
  retryAt: moment.monotonic + errorTtlMs,
});

const share = (cached: CacheEntry, kind: EntryKind, { now, monotonic }: Moment): number =>
  Math.max((monotonic - cached.cachedAt) / maxCachedMs, ageOf(cached.entry, now) / freshMs(kind, cached.entry.value));

/** Whether an entry may be returned at once: it is fresh and was cached for at most 60 s, or its reload has just failed. */
export const usable = (cached: CacheEntry, kind: EntryKind, moment: Moment): boolean =>
  share(cached, kind, moment) < 1 || (moment.monotonic < cached.retryAt && servable(cached.entry, moment));

/** Whether an entry is to be renewed in the background, before a caller has to wait for it. */
export const dueForRenewal = (cached: CacheEntry, kind: EntryKind, moment: Moment): boolean =>
  moment.monotonic >= Math.max(cached.renewAt, cached.retryAt) && share(cached, kind, moment) >= renewShare;

/** Whether an entry of the store is fresh enough; a renewal requires half of its time left. */
export const freshEnough = (entry: Entry, kind: EntryKind, { now }: Moment, renewal: boolean): boolean =>
  ageOf(entry, now) < freshMs(kind, entry.value) * (renewal ? 0.5 : 1);

/** Whether an entry is young enough to be used when a reload fails; also true after the clock was set back. */
export const servable = (entry: Entry, { now }: Moment): boolean => now - entry.loadedAt < staleMs;

/** Identifies an entry of an integration. */
export interface Wanted {
  readonly id: string;
  readonly key: string;
  readonly kind: EntryKind;
  /** Returns its value in a loaded integration; null when it is absent. */
  pick(loaded: Loaded): unknown;
  /** Whether a stored value has the right form; a damaged one counts as absent. */
  readonly fits: (value: unknown) => boolean;
}

/** Runs a load with the caller's retries. @param spared true when stale configuration exists, so that the caller waits only briefly */
export type Attempt = (load: () => Promise<Loaded>, spared: boolean) => Promise<Loaded>;

/** Reads configuration from memory, the store or the platform, in this order; returns stale configuration when nothing else is available. */
export interface ConfigCache {
  /** @throws RelayError of the load when nothing is available */
  read(wanted: Wanted, attempt: Attempt): Promise<unknown>;
  /**
   * Loads from the platform in any case. Entries in memory that the platform does not have any more become absent.
   * @throws RelayError of the load
   */
  reload(id: string, attempt: Attempt): Promise<void>;
  /** Removes an integration from memory. */
  forget(id: string): void;
}

const idLimit = 10_000;
const keyLimit = 50;

/** Creates the cache. @param onStale called each time the cache returns stale configuration because nothing else is available */
export const createConfigCache = (
  config: EncryptedSpace,
  loader: Loader,
  clock: Clock,
  onStale: () => void = () => undefined,
): ConfigCache => {
  const memory = new BoundedMap<BoundedMap<CacheEntry>>(idLimit);
  const moment = (): Moment => ({ now: clock.now(), monotonic: clock.monotonic() });

  const keep = (id: string, key: string, cached: CacheEntry): unknown => {
    const keys = memory.get(id) ?? new BoundedMap<CacheEntry>(keyLimit);
    keys.set(key, cached);
    memory.set(id, keys);
    return cached.entry.value;
  };

  const stored = async ({ key, fits }: Wanted): Promise<Entry | undefined> => {
    try {
      const entry = decodeEntry(await config.get(key));
      return entry && fits(entry.value) ? entry : undefined;
    } catch {
      return undefined;
    }
  };

  const take = ({ id, key, pick }: Wanted, loaded: Loaded): void => {
    if (!loaded.valid()) return;
    const entries = entriesOf(id, loaded).set(key, { loadedAt: loaded.loadedAt, value: pick(loaded) });
    for (const [name, entry] of entries) keep(id, name, cacheEntry(entry, moment()));
  };

  /** A load stores all entries of the response; only the caller knows that this one is missing. */
  const storeAbsence = ({ key, pick }: Wanted, loaded: Loaded): void => {
    if (!loaded.snapshot || !loaded.valid() || pick(loaded) !== null) return;
    putEntry(config, key, { loadedAt: loaded.loadedAt, value: null }).catch(() => undefined);
  };

  /** Caches the result even when the caller has stopped waiting. */
  const load = async (wanted: Wanted): Promise<Loaded> => {
    const loaded = await loader.load(wanted.id);
    take(wanted, loaded);
    if (wanted.kind === 'action') storeAbsence(wanted, loaded);
    return loaded;
  };

  const staleFallback = (wanted: Wanted, entry: Entry | undefined): Entry | undefined => {
    const stale = memory.get(wanted.id)?.get(wanted.key)?.entry ?? entry;
    const unknown = wanted.kind === 'integration' && stale?.value === null;
    return stale && !unknown && servable(stale, moment()) ? stale : undefined;
  };

  const find = async (wanted: Wanted, attempt: Attempt): Promise<unknown> => {
    const entry = await stored(wanted);
    // Another call may have loaded it during the read of the store.
    const cached = memory.get(wanted.id)?.get(wanted.key);
    if (cached && usable(cached, wanted.kind, moment())) return cached.entry.value;
    if (entry && freshEnough(entry, wanted.kind, moment(), false))
      return keep(wanted.id, wanted.key, cacheEntry(entry, moment()));
    try {
      return wanted.pick(await attempt(() => load(wanted), staleFallback(wanted, entry) !== undefined));
    } catch (error) {
      const stale = staleFallback(wanted, entry);
      if (!stale) throw error;
      onStale();
      return keep(wanted.id, wanted.key, cacheStale(stale, moment()));
    }
  };

  const refresh = async (wanted: Wanted): Promise<void> => {
    const entry = await stored(wanted);
    if (entry && freshEnough(entry, wanted.kind, moment(), true))
      keep(wanted.id, wanted.key, cacheEntry(entry, moment()));
    else await load(wanted);
  };

  const renew = (wanted: Wanted, cached: CacheEntry): void => {
    cached.renewAt = clock.monotonic() + errorTtlMs;
    refresh(wanted).catch(() => undefined);
  };

  const reload = async (id: string): Promise<Loaded> => {
    const loaded = await loader.load(id, true);
    if (!loaded.valid()) return loaded;
    const entries = entriesOf(id, loaded);
    for (const key of memory.get(id)?.keys() ?? []) {
      if (entries.has(key)) continue;
      const absent = { loadedAt: loaded.loadedAt, value: null };
      entries.set(key, absent);
      if (loaded.snapshot) putEntry(config, key, absent).catch(() => undefined);
    }
    for (const [key, entry] of entries) keep(id, key, cacheEntry(entry, moment()));
    return loaded;
  };

  return {
    async reload(id, attempt) {
      await attempt(() => reload(id), true);
    },
    async read(wanted, attempt) {
      const cached = memory.get(wanted.id)?.get(wanted.key);
      if (!cached || !usable(cached, wanted.kind, moment())) return find(wanted, attempt);
      if (dueForRenewal(cached, wanted.kind, moment())) renew(wanted, cached);
      return cached.entry.value;
    },
    forget(id) {
      memory.delete(id);
      loader.invalidate(id);
    },
  };
};
