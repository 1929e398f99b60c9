import type { Message, Observation } from '@ranger-relay/contracts';
import { isRelayError } from '@ranger-relay/errors';
import type { HttpClient } from '@ranger-relay/http';
import type { ApiKeys } from './api-key.ts';
import { noAnswer } from './classify.ts';
import { readListAnswer, type ListAnswer } from './list-answer.ts';

/** What may go along with a list. */
export interface PostOptions {
  readonly traceparent?: string;
  readonly signal?: AbortSignal;
}

/**
 * The platform's sensors API. Lists hold at most 100 items; the caller cuts them. A refused key is fetched again and the list posted
 * once more when the key is another.
 * @throws RelayError for everything that is not about the items: `api_key_refused`, `integration_gone`, `platform_unavailable`
 *   (`ambiguous` when the list may have been stored), `platform_rate_limited`, `platform_token_refused`
 */
export interface Sensors {
  postObservations(integrationId: string, list: readonly Observation[], options?: PostOptions): Promise<ListAnswer>;
  postMessages(integrationId: string, list: readonly Message[], options?: PostOptions): Promise<ListAnswer>;
}

/** Times of one call of the sensors API (platform contract, retry budgets), ms. */
export const sensorsLimits = { connectMs: 2_000, totalMs: 30_000 };

/** Makes the client of `baseUrl` (without a last slash). */
export const createSensors = (baseUrl: string, http: HttpClient, keys: ApiKeys): Sensors => {
  const postWith = async (
    path: string,
    integrationId: string,
    key: string,
    list: readonly unknown[],
    { traceparent, signal }: PostOptions,
  ): Promise<ListAnswer> => {
    const request = {
      method: 'POST',
      url: `${baseUrl}/v2/${path}/`,
      headers: { apikey: key, ...(traceparent ? { traceparent } : {}) },
      json: list,
      ...(signal ? { signal } : {}),
      ...sensorsLimits,
    } as const;
    const answer = await http.request(request).catch((error: unknown) => {
      throw noAnswer(error, true);
    });
    return readListAnswer(answer, { integrationId, count: list.length });
  };

  const post = async (
    path: string,
    integrationId: string,
    list: readonly unknown[],
    options: PostOptions = {},
  ): Promise<ListAnswer> => {
    const key = await keys.apiKey(integrationId);
    try {
      return await postWith(path, integrationId, key, list, options);
    } catch (error) {
      if (!isRelayError(error, 'api_key_refused')) throw error;
      keys.refused(integrationId, key);
      const another = await keys.apiKey(integrationId);
      if (another === key) throw error;
      return postWith(path, integrationId, another, list, options).catch((again: unknown) => {
        if (isRelayError(again, 'api_key_refused')) keys.refused(integrationId, another);
        throw again;
      });
    }
  };

  return {
    postObservations: (id, list, options) => post('observations', id, list, options),
    postMessages: (id, list, options) => post('messages', id, list, options),
  };
};
