import { isRelayError } from '@ranger-relay/errors';
import type { ApiKeys } from './api-key.ts';

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
  const attempt = async (): Promise<T> => {
    const key = await keys.apiKey(integrationId);
    return call(key.value).catch((error: unknown) => {
      if (isRelayError(error, 'api_key_refused')) keys.refused(integrationId, key);
      throw error;
    });
  };
  try {
    return await attempt();
  } catch (error) {
    if (!isRelayError(error, 'api_key_refused')) throw error;
    return attempt();
  }
};
