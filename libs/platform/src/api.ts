import type { HttpClient } from '@ranger-relay/http';
import { createCall } from './call.ts';
import { noAnswer } from './classify.ts';
import type { TokenSource } from './token.ts';

/** Reads from the platform API. */
export interface PlatformApi {
  /**
   * One authorised GET of a path such as `/v2/integrations/`: its JSON, undefined when the platform says 404. A token that is not taken
   * is renewed once.
   * @throws RelayError `platform_unavailable`, `platform_rate_limited`, `platform_token_refused`, `platform_forbidden`, `http_status` (another 4xx)
   */
  get(path: string): Promise<unknown>;
}

/** Makes the reader of `baseUrl` (without a last slash). */
export const createApi = (baseUrl: string, http: HttpClient, tokens: TokenSource): PlatformApi => {
  const call = createCall(baseUrl, http, tokens);

  const get = async (path: string): Promise<unknown> => {
    const { verdict, answer } = await call({ method: 'GET', path });
    if (verdict.kind === 'ok') return answer.json();
    if (verdict.kind === 'absent') return undefined;
    throw verdict.error;
  };

  return {
    get: (path) =>
      get(path).catch((error: unknown) => {
        throw noAnswer(error);
      }),
  };
};
