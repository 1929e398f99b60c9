import { resolve } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import type { KeyValue } from '@ranger-relay/kv';
import { encryptedConfig } from '@ranger-relay/platform';
import { platformSecretName, readSecret } from '../data-dir/secrets.ts';

/** What tells the client secret of an installation. */
export interface SecretPlace {
  readonly PLATFORM_CLIENT_SECRET: string | undefined;
  readonly PLATFORM_CLIENT_SECRET_PREVIOUS: string | undefined;
  readonly DATA_DIR: string;
}

/**
 * The store as the services see it: configurations are decrypted with the client secret, or that of the simulated platform in DATA_DIR.
 * Reading one that cannot be decrypted rejects with RelayError `config_invalid`, for a command must not go on without what is there.
 */
export const decryptedKv = async (
  kv: KeyValue,
  { PLATFORM_CLIENT_SECRET, PLATFORM_CLIENT_SECRET_PREVIOUS: previousSecret, DATA_DIR }: SecretPlace,
): Promise<KeyValue> => {
  const secret = PLATFORM_CLIENT_SECRET ?? (await readSecret(resolve(DATA_DIR), platformSecretName));
  const onUnreadable = (): never => {
    const problem =
      secret === undefined
        ? 'is not set, and configuration in the store is encrypted with it; set it as the services have it'
        : 'is not the one with which configuration in the store is encrypted; set it as the services have it, and where it was changed, PLATFORM_CLIENT_SECRET_PREVIOUS too';
    throw new RelayError('config_invalid', { details: { variable: 'PLATFORM_CLIENT_SECRET', problem } });
  };
  return { ...kv, config: encryptedConfig({ kv, clientSecret: secret ?? '', previousSecret, onUnreadable }) };
};
