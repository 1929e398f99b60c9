import { jsonOf } from '@ranger-relay/errors';
import { derivedKey, encryptedSpace, type EncryptedSpace, type KeyValue, storeKey } from '@ranger-relay/kv';
import { type Clock, createRateLimitedLog, type Logger } from '@ranger-relay/runtime';
import { z } from 'zod';

const hourMs = 3_600_000;

/** Options of the encrypted config space. */
interface EncryptedConfigOptions {
  readonly kv: Pick<KeyValue, 'config'>;
  /** Known to every process of an installation; its owner can read all configurations from the platform anyway. */
  readonly clientSecret: string;
  /** The previous client secret, to read configurations encrypted with it. */
  readonly previousSecret?: string | undefined;
  /** Called for a value that cannot be decrypted; its exception reaches the caller of the read. */
  readonly onUnreadable: () => void;
}

/** For processes that reload what they cannot decrypt: logs one warning an hour. */
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
 * The config space of an installation. The settings of actions contain passwords, so the space encrypts them with a key derived from the client
 * secret.
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

/** A cached configuration, with the time of its load, ms since 1970. */
export interface Entry {
  readonly loadedAt: number;
  readonly value: unknown;
}

const hour = 3_600_000;

/** Lifetime of entries in the store, so that they can be used when a reload fails. */
export const staleMs = 7 * 24 * hour;

/** Names of the entries in the config space (platform contract, state and cache keys). */
export const configKey = {
  integration: (id: string): string => `integration.${id}`,
  /** An action of the platform may have any name, including that of the webhook entry. */
  action: (id: string, action: string): string =>
    action === 'webhook' ? `integrationconfig.${id}.%webhook` : storeKey('integrationconfig', id, action),
  webhook: (id: string): string => `integrationconfig.${id}.webhook`,
  allConfigs: (id: string): string => `integrationconfig.${id}.`,
};

/**
 * Whether an entry contains no secret. Names and switches, which webhooks need, stay readable after a change of the client secret; the settings
 * of actions contain passwords.
 */
const isClearEntry = (key: string): boolean =>
  key.startsWith('integration.') || /^integrationconfig\.[\w-]+\.webhook$/.test(key);

/** Kind of an entry; determines how long it is fresh. */
export type EntryKind = 'integration' | 'action' | 'webhook';

/** How long an entry is fresh, ms; shorter for an absent or unknown one. */
export const freshMs = (kind: EntryKind, value: unknown): number => {
  if (kind === 'webhook') return 60_000;
  if (value !== null) return hour;
  return kind === 'action' ? 300_000 : 60_000;
};

/** Age of an entry, ms; infinite when the clock was set back. */
export const ageOf = ({ loadedAt }: Entry, now: number): number => (loadedAt > now + 1_000 ? Infinity : now - loadedAt);

const storedSchema = z.object({ loaded_at: z.iso.datetime({ offset: true }), value: z.unknown() });

/** Serializes an entry. */
export const encodeEntry = ({ loadedAt, value }: Entry): string =>
  JSON.stringify({ loaded_at: new Date(loadedAt).toISOString(), value });

/** Parses a stored entry; undefined when it is invalid. */
export const decodeEntry = (text: string | null): Entry | undefined => {
  const { data } = storedSchema.safeParse(jsonOf(text ?? ''));
  return data && { loadedAt: Date.parse(data.loaded_at), value: data.value };
};

/** Stores an entry for as long as it may be used. @throws RelayError `kv_unavailable` */
export const putEntry = (config: EncryptedSpace, key: string, entry: Entry): Promise<void> =>
  config.set(key, encodeEntry(entry), { ttlMs: staleMs });

/** Deletes every entry of an integration. @throws RelayError `kv_unavailable` */
export const dropEntries = async (config: EncryptedSpace, id: string): Promise<void> => {
  const configs = await config.keys(configKey.allConfigs(id));
  const keys = [configKey.integration(id), configKey.webhook(id)].concat(configs);
  await Promise.all(keys.map((key) => config.delete(key)));
};
