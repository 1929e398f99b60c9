import { isRelayError } from '@ranger-relay/errors';
import type { ApiKey, ApiKeys } from './api-key.ts';

/**
 * Makes a call with the sensors API key of an integration. When the key is refused, it is fetched again and the call made once more at
 * once, with the same key too: a gateway may refuse a good key for a moment.
 * @throws RelayError of the call, and of fetching the key
 */
export const withKey = async <T>(
  keys: ApiKeys,
  integrationId: string,
  call: (key: string) => Promise<T>,
): Promise<T> => {
  const attempt = (key: ApiKey): Promise<T> =>
    call(key.value).catch((error: unknown) => {
      if (isRelayError(error, 'api_key_refused')) keys.refused(integrationId, key);
      throw error;
    });
  const first = await keys.apiKey(integrationId);
  try {
    return await attempt(first);
  } catch (error) {
    if (!isRelayError(error, 'api_key_refused')) throw error;
    const second = await keys.apiKey(integrationId);
    // Asked for moments ago: there is no other one yet.
    if (second === first) throw error;
    return attempt(second);
  }
};
