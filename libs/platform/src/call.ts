import type { HttpAnswer, HttpClient } from '@ranger-relay/http';
import { classify, unavailable, type Verdict } from './classify.ts';
import type { TokenSource } from './token.ts';

/** A call of the platform API. */
export interface PlatformRequest {
  readonly method: 'GET' | 'POST';
  /** Such as `/v2/integrations/`, with its query. */
  readonly path: string;
  readonly json?: unknown;
}

/** An answer and what it means for a reading call. */
export interface PlatformAnswer {
  readonly verdict: Exclude<Verdict, { readonly kind: 'stale_token' }>;
  readonly answer: HttpAnswer;
}

/**
 * One authorised call; a token that is not taken is renewed once.
 * @throws RelayError of the token or the connection; `platform_unavailable` when a renewed token is not taken either
 */
export type PlatformCall = (request: PlatformRequest) => Promise<PlatformAnswer>;

const callLimits = { connectMs: 3_000, totalMs: 20_000 };

/** Makes the caller of `baseUrl` (without a last slash). */
export const createCall = (baseUrl: string, http: HttpClient, tokens: TokenSource): PlatformCall => {
  const once = async ({ path, ...request }: PlatformRequest): Promise<{ verdict: Verdict; answer: HttpAnswer }> => {
    const token = await tokens.token();
    const headers = { authorization: `Bearer ${token}` };
    const answer = await http.request({ ...request, url: `${baseUrl}${path}`, headers, ...callLimits });
    const verdict = classify(answer);
    if (verdict.kind === 'stale_token') tokens.invalidate(token);
    return { verdict, answer };
  };

  return async (request) => {
    const first = await once(request);
    const { verdict, answer } = first.verdict.kind === 'stale_token' ? await once(request) : first;
    if (verdict.kind === 'stale_token') throw unavailable('a token that was just renewed is refused');
    return { verdict, answer };
  };
};
