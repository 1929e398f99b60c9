import { json, type SimulatedResponse, type SimRequest } from '../http/answer.ts';
import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';

const grants = new Set(['client_credentials', 'urn:ietf:params:oauth:grant-type:uma-ticket']);

/** A client that may ask for tokens. */
export interface TokenClient {
  readonly id: string;
  readonly secret: string;
}

/** What a token is good for. */
export interface TokenSettings {
  /** Callers may register integration types. */
  readonly superuser: boolean;
}

/** The token endpoint and the check of bearer tokens. */
export interface Tokens {
  readonly settings: TokenSettings;
  grant(request: SimRequest): Promise<SimulatedResponse>;
  /** Undefined for a good token, else the refusal. */
  refusal(request: SimRequest): SimulatedResponse | undefined;
  /** Makes every token stale. */
  expireAll(): void;
}

const lifetimeS = 172_800;

/** The answer to a stale token: a login page. */
const stale: SimulatedResponse = { status: 302, headers: { location: '/auth/login?next=/' }, body: '' };

const oauthError = (status: number, error: string, description: string): SimulatedResponse =>
  json(status, { error, error_description: description });

const formProblem = (form: URLSearchParams, client: TokenClient): SimulatedResponse | undefined => {
  if (!grants.has(form.get('grant_type') ?? ''))
    return oauthError(400, 'unsupported_grant_type', 'Unsupported grant_type');
  if (form.get('client_id') !== client.id || form.get('client_secret') !== client.secret)
    return oauthError(401, 'unauthorized_client', 'Invalid client or Invalid client credentials');
  return form.get('scope') === 'openid' ? undefined : oauthError(400, 'invalid_scope', 'Invalid scopes');
};

/** Makes the token part of the platform. */
export const createTokens = (
  client: TokenClient,
  clock: Clock,
  random: Random,
  settings: Partial<TokenSettings> = {},
): Tokens => {
  const expiries = new Map<string, number>();

  return {
    settings: { superuser: true, ...settings },
    expireAll: () => expiries.clear(),
    async grant(request) {
      if (!(request.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded'))
        return oauthError(415, 'invalid_request', 'A form is expected');
      const form = new URLSearchParams((await request.body()).toString());
      const problem = formProblem(form, client);
      if (problem) return problem;
      const now = clock.now();
      for (const [token, expiry] of expiries) if (expiry <= now) expiries.delete(token);
      const token = `token-${random.uuid()}`;
      expiries.set(token, now + lifetimeS * 1_000);
      return json(200, {
        access_token: token,
        token_type: 'Bearer',
        expires_in: lifetimeS,
        refresh_token: 'unused',
        refresh_expires_in: 0,
      });
    },
    refusal(request) {
      const token = /^Bearer (.+)$/.exec(request.headers['authorization'] ?? '')?.[1];
      return token !== undefined && (expiries.get(token) ?? 0) > clock.now() ? undefined : stale;
    },
  };
};
