import { derivedKey, encryptedSpace, type EncryptedSpace, type KeyValue } from '@ranger-relay/kv';
import { isClearEntry } from './config-entry.ts';
import { createRateLimitedLog, type Clock, type Logger } from '@ranger-relay/runtime';

const hourMs = 3_600_000;

/** What the config space is opened with. */
export interface EncryptedConfigOptions {
  readonly kv: Pick<KeyValue, 'config'>;
  /** Every process of an installation has it, and who has it can read all configurations from the platform. */
  readonly clientSecret: string;
  /** The client secret before, whose configurations are read. */
  readonly previousSecret?: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The config space of an installation: settings of actions hold passwords, so they lie encrypted in the store, under a key that follows from
 * the client secret. What cannot be decrypted is asked for anew, with one WARNING an hour.
 */
export const encryptedConfig = (options: EncryptedConfigOptions): EncryptedSpace => {
  const { kv, clientSecret, previousSecret, clock, log } = options;
  const limited = createRateLimitedLog({ log, clock }, { windowMs: hourMs });
  const onUnreadable = (): void =>
    limited.warn(
      'unreadable',
      {},
      'configuration in the store cannot be decrypted and is loaded anew; PLATFORM_CLIENT_SECRET was changed or differs between processes, or somebody altered the store',
    );
  const previous = previousSecret === undefined ? undefined : derivedKey(previousSecret);
  return encryptedSpace(kv.config, { key: derivedKey(clientSecret), previous, isClear: isClearEntry, onUnreadable });
};
