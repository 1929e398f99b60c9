import { cleanTexts } from '@ranger-relay/errors';
import type { HttpAnswer, HttpClient } from '@ranger-relay/http';
import type { ApiKeys } from './api-key.ts';
import { noAnswer } from './classify.ts';
import { withKey } from './with-key.ts';

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
export type SensorsCall = <T>(
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
