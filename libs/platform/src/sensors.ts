import type { Message, Observation } from '@ranger-relay/contracts';
import { cleanTexts, isRelayError } from '@ranger-relay/errors';
import type { HttpAnswer, HttpClient } from '@ranger-relay/http';
import type { ApiKey, ApiKeys } from './api-key.ts';
import { noAnswer } from './classify.ts';
import { type ListAnswer, readListAnswer } from './list-answer.ts';

/**
 * Makes a call with the sensors API key of an integration. When the key is refused, it is fetched again and the call made once more at
 * once, with the same key too: a gateway may refuse a good key for a moment.
 * @throws RelayError of the call, and of fetching the key
 */
const withKey = async <T>(keys: ApiKeys, integrationId: string, call: (key: string) => Promise<T>): Promise<T> => {
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

/** What may go along with a call. */
export interface PostOptions {
  readonly traceparent?: string;
  readonly signal?: AbortSignal;
  /** How often it is tried at most; as its budget says when left out. */
  readonly tries?: number | undefined;
}

/** One call of the sensors API. */
export interface SensorsRequest {
  readonly method: 'POST' | 'PATCH';
  /** Below `/v2/`, with a last slash. */
  readonly path: string;
  /** One of `json` and `body`. */
  readonly json?: unknown;
  readonly body?: Uint8Array;
  /** Content type of `body`. */
  readonly type?: string;
}

/**
 * Makes one call with the key of an integration and reads its answer.
 * @throws RelayError what `read` throws; `platform_unavailable` without an answer (`ambiguous` when it may have been carried out)
 */
type SensorsCall = <T>(
  integrationId: string,
  request: SensorsRequest,
  options: PostOptions,
  read: (answer: HttpAnswer) => T,
) => Promise<T>;

/** Times of one call of the sensors API (platform contract, retry budgets; device contract, one bad neighbour), ms. */
export const sensorsLimits = { connectMs: 2_000, firstByteMs: 10_000, totalMs: 30_000 };

/** Makes the caller of `baseUrl` (without a last slash). */
export const createSensorsCall = (baseUrl: string, http: HttpClient, keys: ApiKeys): SensorsCall => {
  const ask = async (
    { method, path, json, body, type }: SensorsRequest,
    { traceparent, signal }: PostOptions,
    key: string,
  ): Promise<HttpAnswer> => {
    const request = {
      method,
      url: `${baseUrl}/v2/${path}`,
      headers: {
        apikey: key,
        ...(traceparent ? { traceparent } : {}),
        ...(type ? { 'content-type': type } : {}),
      },
      ...(body ? { body } : { json: cleanTexts(json) }),
      ...(signal ? { signal } : {}),
      ...sensorsLimits,
    } as const;
    return http.request(request).catch((error: unknown) => {
      throw noAnswer(error, true);
    });
  };

  return (integrationId, request, options, read) =>
    withKey(keys, integrationId, async (key) => read(await ask(request, options, key)));
};

/**
 * The platform's sensors API. Lists hold at most 100 items; the caller cuts them. A refused key is fetched again and the list posted
 * once more when the key is another.
 * @throws RelayError for everything that is not about the items: `api_key_refused`, `integration_gone`, `platform_unavailable`
 *   (`ambiguous` when the list may have been stored), `platform_rate_limited`, `platform_token_refused`, `platform_forbidden`
 */
export interface Sensors {
  postObservations(integrationId: string, list: readonly Observation[], options?: PostOptions): Promise<ListAnswer>;
  postMessages(integrationId: string, list: readonly Message[], options?: PostOptions): Promise<ListAnswer>;
}

/** Makes the client of `baseUrl` (without a last slash). */
export const createSensors = (baseUrl: string, http: HttpClient, keys: ApiKeys): Sensors => {
  const call = createSensorsCall(baseUrl, http, keys);
  const post = (
    path: string,
    integrationId: string,
    list: readonly unknown[],
    options: PostOptions = {},
  ): Promise<ListAnswer> =>
    call(integrationId, { method: 'POST', path, json: list }, options, (answer) =>
      readListAnswer(answer, { integrationId, count: list.length }),
    );

  return {
    postObservations: (id, list, options) => post('observations/', id, list, options),
    postMessages: (id, list, options) => post('messages/', id, list, options),
  };
};
