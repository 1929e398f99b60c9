import { derivedKey, encryptedSpace, type EncryptedSpace, type KeyValue } from '@ranger-relay/kv';
import { createRateLimitedLog, type Clock, type Logger } from '@ranger-relay/runtime';
import { isClearEntry } from './config-entry.ts';

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
      'configuration in the store cannot be decrypted and is loaded anew; PLATFORM_CLIENT_SECRET was changed or differs between processes, or somebody altered the store',
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
