import { derivedKey, encryptedSpace, type EncryptedSpace, type KeyValue, storeKey } from '@ranger-relay/kv';
import { type Clock, createRateLimitedLog, type Logger } from '@ranger-relay/runtime';
import { z } from 'zod';

const hourMs = 3_600_000;

/** What the config space is opened with. */
interface EncryptedConfigOptions {
  readonly kv: Pick<KeyValue, 'config'>;
  /** Every process of an installation has it, and who has it can read all configurations from the platform. */
  readonly clientSecret: string;
  /** The client secret before, whose configurations are read. */
  readonly previousSecret?: string | undefined;
  /** Hears of a value that cannot be decrypted; what it throws is thrown to who asked for the value. */
  readonly onUnreadable: () => void;
}

/** For processes that load anew what they cannot decrypt: one WARNING an hour. */
export const warnOfUnreadable = (parts: { readonly clock: Clock; readonly log: Logger }): (() => void) => {
  const limited = createRateLimitedLog(parts, { windowMs: hourMs });
  return () =>
    limited.warn(
      'unreadable',
      {},
      'configuration in the store cannot be decrypted and is reloaded; PLATFORM_CLIENT_SECRET was changed or differs between processes, or the store was altered',
    );
};

/**
 * The config space of an installation: settings of actions hold passwords, so they lie encrypted in the store, under a key that follows from
 * the client secret.
 */
export const encryptedConfig = ({
  kv,
  clientSecret,
  previousSecret,
  onUnreadable,
}: EncryptedConfigOptions): EncryptedSpace => {
  const previous = previousSecret === undefined ? undefined : derivedKey(previousSecret);
  return encryptedSpace(kv.config, { key: derivedKey(clientSecret), previous, isClear: isClearEntry, onUnreadable });
};

/** A cached piece of configuration: when the platform said it (ms since 1970) and what. */
export interface Entry {
  readonly loadedAt: number;
  readonly value: unknown;
}

const hour = 3_600_000;

/** Entries live so long in the store, to serve when a reload fails. */
export const staleMs = 7 * 24 * hour;

/** Names of the entries in the config space (platform contract, state and cache keys). */
export const configKey = {
  integration: (id: string): string => `integration.${id}`,
  /** The platform's actions have any name, also that of the entry of the webhook. */
  action: (id: string, action: string): string =>
    action === 'webhook' ? `integrationconfig.${id}.%webhook` : storeKey('integrationconfig', id, action),
  webhook: (id: string): string => `integrationconfig.${id}.webhook`,
  allConfigs: (id: string): string => `integrationconfig.${id}.`,
};

/**
 * Whether an entry holds no secret: names and switches, by which webhooks are taken. They serve whatever the client secret is; all others,
 * the settings of actions, have passwords.
 */
const isClearEntry = (key: string): boolean =>
  key.startsWith('integration.') || /^integrationconfig\.[\w-]+\.webhook$/.test(key);

/** What an entry holds, which decides for how long it is fresh. */
export type EntryKind = 'integration' | 'action' | 'webhook';

/** For how long an entry is fresh, ms: what is absent or unknown is asked for again sooner. */
export const freshMs = (kind: EntryKind, value: unknown): number => {
  if (kind === 'webhook') return 60_000;
  if (value !== null) return hour;
  return kind === 'action' ? 300_000 : 60_000;
};

/** Age of an entry; a clock that was set back makes it very old. */
export const ageOf = ({ loadedAt }: Entry, now: number): number => (loadedAt > now + 1_000 ? Infinity : now - loadedAt);

const storedSchema = z.object({ loaded_at: z.iso.datetime({ offset: true }), value: z.unknown() });

/** An entry as it is stored. */
export const encodeEntry = ({ loadedAt, value }: Entry): string =>
  JSON.stringify({ loaded_at: new Date(loadedAt).toISOString(), value });

/** Reads a stored entry; undefined when it is none. */
export const decodeEntry = (text: string | null): Entry | undefined => {
  if (text === null) return undefined;
  try {
    const { loaded_at: loadedAt, value } = storedSchema.parse(JSON.parse(text));
    return { loadedAt: Date.parse(loadedAt), value };
  } catch {
    return undefined;
  }
};

/** Stores an entry for as long as it may serve. @throws RelayError `kv_unavailable` */
export const putEntry = (config: EncryptedSpace, key: string, entry: Entry): Promise<void> =>
  config.set(key, encodeEntry(entry), { ttlMs: staleMs });

/** Drops every entry of an integration. @throws RelayError `kv_unavailable` */
export const dropEntries = async (config: EncryptedSpace, id: string): Promise<void> => {
  const configs = await config.keys(configKey.allConfigs(id));
  const keys = [configKey.integration(id), configKey.webhook(id)].concat(configs);
  await Promise.all(keys.map((key) => config.delete(key)));
};
