import { RelayError, toRelayError } from '@ranger-relay/errors';
import type { HttpAnswer, HttpClient } from '@ranger-relay/http';
import { type Clock, shareFlight } from '@ranger-relay/runtime';
import { z } from 'zod';
import { noAnswer, rateLimited, unavailable } from './classify.ts';

/** Settings of the token request. */
export interface TokenSettings {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly audience?: string | undefined;
  readonly grant: 'client_credentials' | 'uma-ticket';
}

/** The access token of this process. */
export interface TokenSource {
  /** Returns a valid token. @throws RelayError `platform_token_refused`, `platform_unavailable`, `platform_rate_limited` */
  token(): Promise<string>;
  /** Reports that the platform refused this token; the next call requests another. */
  invalidate(token: string): void;
}

const earlyMs = 60_000;
const callLimits = { connectMs: 3_000, totalMs: 20_000 };

const tokenSchema = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive().catch(300),
});

const grants = {
  client_credentials: 'client_credentials',
  'uma-ticket': 'urn:ietf:params:oauth:grant-type:uma-ticket',
} as const;

const formOf = ({ clientId, clientSecret, audience, grant }: TokenSettings): Record<string, string> => ({
  client_id: clientId,
  client_secret: clientSecret,
  ...(audience ? { audience } : {}),
  scope: 'openid',
  grant_type: grants[grant],
});

const refusedStatuses = new Set([400, 401, 403]);

const readToken = (answer: HttpAnswer): z.infer<typeof tokenSchema> => {
  const reason = `${answer.target} answered ${answer.status}`;
  if (refusedStatuses.has(answer.status)) throw new RelayError('platform_token_refused', { details: { reason } });
  if (answer.status === 429) throw rateLimited(answer);
  if (answer.status < 200 || answer.status > 299) throw unavailable(reason, answer);
  const parsed = tokenSchema.safeParse(answer.json());
  if (!parsed.success) throw unavailable(`${answer.target} gave no token`);
  return parsed.data;
};

/**
 * Keeps one token and renews it 60 s before it expires (or at half of a shorter life), with one request at a time. While the renewal fails, the
 * old token is used until it expires.
 * @param asked is called after each request for a token, with its error or null
 */
export const createTokenSource = (
  settings: TokenSettings,
  http: HttpClient,
  clock: Clock,
  asked: (error: RelayError | null) => void = () => undefined,
): TokenSource => {
  let current: { token: string; renewAt: number; endsAt: number } | undefined;

  const fetchToken = shareFlight(async (): Promise<string> => {
    const began = clock.monotonic();
    try {
      const request = { method: 'POST', url: settings.tokenUrl, form: formOf(settings), ...callLimits } as const;
      const { access_token: token, expires_in: seconds } = readToken(await http.request(request));
      const lifeMs = seconds * 1_000;
      current = { token, renewAt: began + lifeMs - Math.min(earlyMs, lifeMs / 2), endsAt: began + lifeMs };
      asked(null);
      return token;
    } catch (error) {
      asked(toRelayError(error));
      if (current && clock.monotonic() < current.endsAt) return current.token;
      throw noAnswer(error);
    }
  });

  return {
    token() {
      if (current && clock.monotonic() < current.renewAt) return Promise.resolve(current.token);
      return fetchToken();
    },
    invalidate(token) {
      if (current?.token === token) current = undefined;
    },
  };
};
