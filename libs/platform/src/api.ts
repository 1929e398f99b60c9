import type { HttpClient } from '@ranger-relay/http';
import { classify, noAnswer, unavailable, type Verdict } from './classify.ts';
import type { TokenSource } from './token.ts';

/** Reads from the platform API. */
export interface PlatformApi {
  /**
   * One authorised GET of a path such as `/v2/integrations/`: its JSON, undefined when the platform says 404. A token that is not taken
   * is renewed once.
   * @throws RelayError `platform_unavailable`, `platform_rate_limited`, `platform_token_refused`, `http_status` (another 4xx)
   */
  get(path: string): Promise<unknown>;
}

const callLimits = { connectMs: 3_000, totalMs: 20_000 };

/** Makes the reader of `baseUrl` (without a last slash). */
export const createApi = (baseUrl: string, http: HttpClient, tokens: TokenSource): PlatformApi => {
  const once = async (path: string): Promise<{ verdict: Verdict; json: () => unknown }> => {
    const token = await tokens.token();
    const headers = { authorization: `Bearer ${token}` };
    const answer = await http.request({ method: 'GET', url: `${baseUrl}${path}`, headers, ...callLimits });
    const verdict = classify(answer);
    if (verdict.kind === 'stale_token') tokens.invalidate(token);
    return { verdict, json: () => answer.json() };
  };

  const get = async (path: string): Promise<unknown> => {
    let result = await once(path);
    if (result.verdict.kind === 'stale_token') result = await once(path);
    const { verdict, json } = result;
    if (verdict.kind === 'ok') return json();
    if (verdict.kind === 'absent') return undefined;
    throw verdict.kind === 'failed' ? verdict.error : unavailable('a token that was just renewed is not taken');
  };

  return {
    get: (path) =>
      get(path).catch((error: unknown) => {
        throw noAnswer(error);
      }),
  };
};
