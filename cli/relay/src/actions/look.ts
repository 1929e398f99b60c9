import { RelayError, toRelayError } from '@ranger-relay/errors';
import type { EncryptedSpace, KvSpace } from '@ranger-relay/kv';
import {
  configKey,
  createConfigCache,
  createIntegrations,
  createLoader,
  decodeEntry,
  freshMs,
  type Entry,
  type EntryKind,
  type Integration,
  type PlatformApi,
} from '@ranger-relay/platform';
import type { Context } from '@ranger-relay/runtime';
import type { Found, Source } from './options.ts';

/** A read-only space: writes do nothing and report success. */
const readOnly = ({ get, list }: Pick<KvSpace, 'get' | 'list'>): EncryptedSpace => ({
  get,
  list,
  keys: async (prefix) => (await list(prefix)).map(({ key }) => key),
  set: async () => undefined,
  setIfAbsent: async () => true,
  compareAndSet: async () => true,
  compareAndDelete: async () => true,
  delete: async () => true,
});

/** A space that is always empty, to read past every cache. */
export const emptySpace: EncryptedSpace = readOnly({ get: async () => null, list: async () => [] });

/** Read-only access to the configuration of the services; does not even change the cache. */
export interface Look {
  /** @throws RelayError `integration_unknown`; of the platform when nothing is cached either; `kv_unavailable` */
  integration(id: string): Promise<Found<Integration>>;
  /** Stored settings of an action; null when there are none. @throws as `integration` */
  config(id: string, actionId: string): Promise<Found<unknown>>;
}

/** Dependencies of reading configuration. */
export interface LookDependencies extends Pick<Context, 'clock' | 'random' | 'log'> {
  readonly api: PlatformApi;
  /** The config space of the key-value store, decrypted. */
  readonly config: KvSpace;
}

const secondsSince = (at: number, now: number): number => Math.max(0, Math.round((now - at) / 1_000));

/** Outcomes of calls to the platform; a failed call is not repeated. */
const watch = (api: PlatformApi) => {
  const seen = { loaded: false, problem: undefined as string | undefined };
  const failures = new Map<string, unknown>();
  const get: PlatformApi['get'] = async (path) => {
    try {
      if (failures.has(path)) throw failures.get(path);
      const json = await api.get(path);
      seen.loaded = true;
      return json;
    } catch (error) {
      failures.set(path, error);
      seen.problem = toRelayError(error).message;
      throw error;
    }
  };
  return { seen, api: { get } };
};

/** Reads through the services' own caches, one try each, so that the result is what the services would get. */
export const openLook = ({ api, config, clock, random, log }: LookDependencies): Look => {
  const space = readOnly(config);
  const watched = watch(api);
  const cache = createConfigCache(space, createLoader(watched.api, space, clock, log), clock);
  const onceEach = {
    ...cache,
    read: (wanted: Parameters<typeof cache.read>[0]) => cache.read(wanted, (load) => load()),
  };
  const integrations = createIntegrations(watched.api, onceEach, { clock, random });

  const sourceOf = (entry: Entry | undefined, kind: EntryKind): Source => {
    const { problem, loaded } = watched.seen;
    const age = secondsSince(entry?.loadedAt ?? clock.now(), clock.now());
    if (problem !== undefined) return { from: 'last_known_good', age_seconds: age, problem };
    if (loaded || !entry) return { from: 'platform' };
    return { from: 'cache', age_seconds: age, fresh_seconds: freshMs(kind, entry.value) / 1_000 };
  };

  const find = async <T>(key: string, kind: EntryKind, read: () => Promise<T>): Promise<Found<T>> => {
    watched.seen.problem = undefined;
    const entry = decodeEntry(await config.get(key));
    const value = await read();
    return { value, source: sourceOf(entry, kind) };
  };

  const known = async (id: string): Promise<Integration> => {
    const integration = await integrations.integration(id);
    if (!integration) throw new RelayError('integration_unknown', { details: { integration: id } });
    return integration;
  };

  return {
    integration: (id) => find(configKey.integration(id), 'integration', () => known(id)),
    config: (id, action) => find(configKey.action(id, action), 'action', () => integrations.actionConfig(id, action)),
  };
};
