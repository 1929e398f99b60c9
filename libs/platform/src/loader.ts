import type { EncryptedSpace } from '@ranger-relay/kv';
import { BoundedMap, type Clock, createSingleflight, type Logger, type Singleflight } from '@ranger-relay/runtime';
import type { PlatformApi } from './api.ts';
import { unavailable } from './classify.ts';
import { configKey, decodeEntry, dropEntries, type Entry, putEntry } from './config-entry.ts';
import { readSnapshot, type Snapshot } from './integration.ts';

/** An integration as it was loaded; null is one that the platform does not know. */
export interface Loaded {
  /** When it was asked for, ms since 1970. */
  readonly loadedAt: number;
  readonly snapshot: Snapshot | null;
  /** No change became known while it was under way. */
  valid(): boolean;
}

/** Loads integrations from the platform, one call per id at a time. */
export interface Loader {
  /**
   * One try. What it brings fills every entry of the integration in the store.
   * @param anew a call that is under way does not count: it may have been answered before what is looked for was changed
   */
  load(id: string, anew?: boolean): Promise<Loaded>;
  /** A change became known: what is under way must not be kept. */
  invalidate(id: string): void;
}

/** Every entry that a loaded integration fills, by key. */
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

/** An integration that had a configuration is gone after so many answers over so long. */
const absentAnswers = 3;
const absentMs = 15 * 60_000;
const absenceLimit = 1_000;
const maxInFlight = { known: 200, unknown: 50 };

/** A singleflight of calls to the platform; more than `limit` keys at a time are refused with `platform_unavailable`. */
export const createCallSingleflight = <T>(limit = maxInFlight.known): Singleflight<T> =>
  createSingleflight<T>(limit, () => unavailable(`${limit} calls are in flight`));

interface Absence {
  readonly answers: number;
  /** ms, monotonic. */
  readonly since: number;
}

/** Makes a loader. A store that is down costs a log line, nothing else. */
export const createLoader = (api: PlatformApi, config: EncryptedSpace, clock: Clock, log: Logger): Loader => {
  /** Apart, so that made-up ids leave those that serve their calls. */
  const singleflight = {
    known: createCallSingleflight<Loaded>(),
    unknown: createCallSingleflight<Loaded>(maxInFlight.unknown),
  };
  const absences = new BoundedMap<Absence>(absenceLimit);
  const underWay = new Map<string, { valid: boolean }>();

  const isKnown = async (id: string): Promise<boolean> => {
    try {
      return (decodeEntry(await config.get(configKey.integration(id)))?.value ?? null) !== null;
    } catch {
      return true;
    }
  };

  /** One 404 may come from a platform that is being restored: it deletes no configuration that serves. */
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
    underWay.set(id, state);
    const loadedAt = clock.now();
    try {
      const json = await api.get(`/v2/integrations/${encodeURIComponent(id)}/`);
      const snapshot = json === undefined ? null : readSnapshot(json);
      if (snapshot === null) await confirmAbsence(id);
      absences.delete(id);
      return { loadedAt, snapshot, valid: () => state.valid };
    } finally {
      if (underWay.get(id) === state) underWay.delete(id);
    }
  };

  const load = async (id: string): Promise<Loaded> => {
    const loaded = await fetchOne(id);
    if (loaded.valid())
      storeAll(config, id, loaded).catch((error: unknown) => log.debug({ err: error }, 'configuration was not cached'));
    return loaded;
  };

  return {
    async load(id, anew = false) {
      const lane = (await isKnown(id)) ? singleflight.known : singleflight.unknown;
      if (anew) await lane.ended(id);
      return lane.run(id, () => load(id));
    },
    invalidate(id) {
      const state = underWay.get(id);
      if (state) state.valid = false;
    },
  };
};
