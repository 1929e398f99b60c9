import type { EncryptedSpace } from '@ranger-relay/kv';
import { BoundedMap, type Clock, createSingleflight, type Logger, type Singleflight } from '@ranger-relay/runtime';
import type { PlatformApi } from './api.ts';
import { unavailable } from './classify.ts';
import { configKey, decodeEntry, dropEntries, type Entry, putEntry } from './config-entry.ts';
import { readSnapshot, type Snapshot } from './integration.ts';

/** A loaded integration; null when the platform does not know it. */
export interface Loaded {
  /** Time of the request, ms since 1970. */
  readonly loadedAt: number;
  readonly snapshot: Snapshot | null;
  /** False when a config event invalidated the integration during the load. */
  valid(): boolean;
}

/** Loads integrations from the platform, one call per id at a time. */
export interface Loader {
  /**
   * Makes one attempt; its result replaces every entry of the integration in the store.
   * @param anew does not join a call in flight, whose response may be older than the change that the caller looks for
   */
  load(id: string, anew?: boolean): Promise<Loaded>;
  /** Invalidates a load in flight after a change. */
  invalidate(id: string): void;
}

/** All entries of a loaded integration, by key. */
export const entriesOf = (
  id: string,
  { loadedAt, snapshot }: Pick<Loaded, 'loadedAt' | 'snapshot'>,
): Map<string, Entry> => {
  const entries = new Map<string, Entry>([
    [configKey.integration(id), { loadedAt, value: snapshot?.integration ?? null }],
    [configKey.webhook(id), { loadedAt, value: snapshot?.webhook ?? null }],
  ]);
  for (const [action, value] of snapshot?.configurations ?? [])
    entries.set(configKey.action(id, action), { loadedAt, value });
  return entries;
};

const storeAll = async (config: EncryptedSpace, id: string, loaded: Loaded): Promise<void> => {
  if (!loaded.snapshot) return dropEntries(config, id);
  await Promise.all([...entriesOf(id, loaded)].map(([key, entry]) => putEntry(config, key, entry)));
};

/** A known integration counts as deleted after this many 404 responses over this time. */
const absentAnswers = 3;
const absentMs = 15 * 60_000;
const absenceLimit = 1_000;
const maxInFlight = { known: 200, unknown: 50 };

/** Creates a singleflight of calls to the platform; it refuses more than `limit` keys at a time with `platform_unavailable`. */
export const createCallSingleflight = <T>(limit = maxInFlight.known): Singleflight<T> =>
  createSingleflight<T>(limit, () => unavailable(`${limit} calls are in flight`));

/** Is told what the platform says of an integration; null: it is deleted. A lost config event is made good here. */
export type LoadListener = (id: string, snapshot: Snapshot | null) => void;

/** Creates a loader. An unavailable store only causes a log line. */
export const createLoader = (
  api: PlatformApi,
  config: EncryptedSpace,
  clock: Clock,
  log: Logger,
  onLoaded: LoadListener = () => undefined,
): Loader => {
  /** Separate, so that calls for invented ids do not use up those of known ones. */
  const singleflight = {
    known: createCallSingleflight<Loaded>(),
    unknown: createCallSingleflight<Loaded>(maxInFlight.unknown),
  };
  /** `since`: ms, monotonic. */
  const absences = new BoundedMap<{ readonly answers: number; readonly since: number }>(absenceLimit);
  /** The loads in flight of each id: one of each lane. */
  const underWay = new Map<string, Set<{ valid: boolean }>>();

  const isKnown = async (id: string): Promise<boolean> => {
    try {
      return (decodeEntry(await config.get(configKey.integration(id)))?.value ?? null) !== null;
    } catch {
      return true;
    }
  };

  /** A single 404 may come from a platform that is being restored, so it deletes no known configuration. */
  const confirmAbsence = async (id: string): Promise<void> => {
    if (!(await isKnown(id))) return;
    const now = clock.monotonic();
    const { answers, since } = absences.get(id) ?? { answers: 0, since: now };
    absences.set(id, { answers: answers + 1, since });
    if (answers + 1 < absentAnswers || now - since < absentMs)
      throw unavailable(`it does not know ${id}; this counts after 15 minutes of such answers`);
  };

  const fetchOne = async (id: string): Promise<Loaded> => {
    const state = { valid: true };
    const all = underWay.get(id) ?? new Set();
    underWay.set(id, all.add(state));
    const loadedAt = clock.now();
    try {
      const json = await api.get(`/v2/integrations/${encodeURIComponent(id)}/`);
      const snapshot = json === undefined ? null : readSnapshot(json);
      if (snapshot === null) await confirmAbsence(id);
      absences.delete(id);
      return { loadedAt, snapshot, valid: () => state.valid };
    } finally {
      all.delete(state);
      if (all.size === 0) underWay.delete(id);
    }
  };

  const load = async (id: string): Promise<Loaded> => {
    const loaded = await fetchOne(id);
    if (loaded.valid()) {
      onLoaded(id, loaded.snapshot);
      storeAll(config, id, loaded).catch((error: unknown) => log.debug({ err: error }, 'configuration was not cached'));
    }
    return loaded;
  };

  return {
    async load(id, anew = false) {
      const lane = (await isKnown(id)) ? singleflight.known : singleflight.unknown;
      if (anew) await lane.ended(id);
      return lane.run(id, () => load(id));
    },
    invalidate(id) {
      for (const state of underWay.get(id) ?? []) state.valid = false;
    },
  };
};
