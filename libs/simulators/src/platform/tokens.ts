import { json, type SimulatedResponse, type SimRequest } from '../http/answer.ts';
import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';

const grants = new Set(['client_credentials', 'urn:ietf:params:oauth:grant-type:uma-ticket']);

/** A client that may ask for tokens. */
export interface TokenClient {
  readonly id: string;
  readonly secret: string;
}

/** Operations on tokens while the platform runs. */
export interface TokenSettings {
  /** How long a token really works, seconds. */
  lifetime_s: number;
  /** Value in the answer, seconds; the same when left out. */
  expires_in_s?: number | undefined;
  /** Answer to a stale token: a redirect to a login page, or 401. */
  stale_status: 302 | 401;
  /** An `audience` that must be asked for; any when left out. */
  audience?: string | undefined;
  /** Callers may register integration types. */
  superuser: boolean;
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

const oauthError = (status: number, error: string, description: string): SimulatedResponse =>
  json(status, { error, error_description: description });

const formProblem = (
  form: URLSearchParams,
  client: TokenClient,
  settings: TokenSettings,
): SimulatedResponse | undefined => {
  if (!grants.has(form.get('grant_type') ?? ''))
    return oauthError(400, 'unsupported_grant_type', 'Unsupported grant_type');
  if (form.get('client_id') !== client.id || form.get('client_secret') !== client.secret)
    return oauthError(401, 'unauthorized_client', 'Invalid client or Invalid client credentials');
  if (form.get('scope') !== 'openid') return oauthError(400, 'invalid_scope', 'Invalid scopes');
  if (settings.audience !== undefined && form.get('audience') !== settings.audience)
    return oauthError(400, 'invalid_request', 'Audience not found');
  return undefined;
};

/** Makes the token part of the platform. */
export const createTokens = (
  client: TokenClient,
  clock: Clock,
  random: Random,
  initial: Partial<TokenSettings> = {},
): Tokens => {
  const settings: TokenSettings = { lifetime_s: 172_800, stale_status: 302, superuser: true, ...initial };
  const expiries = new Map<string, number>();

  const stale = (): SimulatedResponse =>
    settings.stale_status === 302
      ? { status: 302, headers: { location: '/auth/login?next=/' }, body: '' }
      : json(401, { detail: 'Invalid token.' });

  return {
    settings,
    expireAll: () => expiries.clear(),
    async grant(request) {
      if (!(request.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded'))
        return oauthError(415, 'invalid_request', 'A form is expected');
      const form = new URLSearchParams((await request.body()).toString());
      const problem = formProblem(form, client, settings);
      if (problem) return problem;
      const now = clock.now();
      for (const [token, expiry] of expiries) if (expiry <= now) expiries.delete(token);
      const token = `token-${random.uuid()}`;
      expiries.set(token, now + settings.lifetime_s * 1000);
      return json(200, {
        access_token: token,
        token_type: 'Bearer',
        expires_in: settings.expires_in_s ?? settings.lifetime_s,
        refresh_token: 'unused',
        refresh_expires_in: 0,
      });
    },
    refusal(request) {
      const token = /^Bearer (.+)$/.exec(request.headers['authorization'] ?? '')?.[1];
      return token !== undefined && (expiries.get(token) ?? 0) > clock.now() ? undefined : stale();
    },
  };
};
