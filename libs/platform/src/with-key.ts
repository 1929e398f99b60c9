import { isRelayError } from '@ranger-relay/errors';
import type { ApiKeys } from './api-key.ts';

/**
 * Makes a call with the sensors API key of an integration. A refused key is fetched again and the call made once more when the key is
 * another.
 * @throws RelayError of the call, and of fetching the key
 */
export const withKey = async <T>(
  keys: ApiKeys,
  integrationId: string,
  call: (key: string) => Promise<T>,
): Promise<T> => {
  const key = await keys.apiKey(integrationId);
  try {
    return await call(key);
  } catch (error) {
    if (!isRelayError(error, 'api_key_refused')) throw error;
    keys.refused(integrationId, key);
    const another = await keys.apiKey(integrationId);
    if (another === key) throw error;
    return call(another).catch((again: unknown) => {
      if (isRelayError(again, 'api_key_refused')) keys.refused(integrationId, another);
      throw again;
    });
  }
};
