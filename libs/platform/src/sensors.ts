import type { Message, Observation } from '@ranger-relay/contracts';
import type { HttpClient } from '@ranger-relay/http';
import type { ApiKeys } from './api-key.ts';
import { readListAnswer, type ListAnswer } from './list-answer.ts';
import { createSensorsCall, type PostOptions } from './sensors-call.ts';

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
