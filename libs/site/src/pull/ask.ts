import { RelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import type { Access } from './access.ts';
import { tryUntilAnswered, type TryParts } from './tries.ts';

/** One authorised GET. */
export interface Question {
  /** On the site's own origin. */
  readonly url: string;
  readonly maxBytes: number;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Sends authorised GETs; answers of any final status but 401 are returned. */
export type Ask = (question: Question) => Promise<HttpAnswer>;

/**
 * Makes it. A token that the site does not take is renewed, and the question asked once more.
 * @throws RelayError `site_credentials_refused`, `site_unavailable`
 */
export const createAsk =
  (parts: TryParts, access: Access): Ask =>
  async ({ url, maxBytes, accept = 'application/json', signal }) => {
    const askWith = (token: string): Promise<HttpAnswer> =>
      tryUntilAnswered(parts, {
        method: 'GET',
        url,
        maxBytes,
        headers: { authorization: `Bearer ${token}`, accept },
        ...(signal ? { signal } : {}),
      });
    const token = await access.token();
    const answer = await askWith(token);
    if (answer.status !== 401) return answer;
    const again = access.renew(token) ? await askWith(await access.token()) : answer;
    if (again.status !== 401) return again;
    throw new RelayError('site_credentials_refused', { details: { target: again.target } });
  };
