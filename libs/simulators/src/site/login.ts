import { json, type SimulatedResponse } from '../http/answer.ts';
import { failed } from './answers/envelope.ts';
import type { Incoming } from './routes/answer.ts';
import type { SiteStore } from './state/store.ts';
import type { TokenBook } from './tokens.ts';

/** Where tokens are asked for with a password. */
export const loginPath = '/oauth2/token';

/** Inputs of the login decision. */
interface LoginDependencies {
  readonly store: SiteStore;
  readonly tokens: TokenBook;
  readonly clientId: string;
}

const refusal = (status: number, error: string, description: string): SimulatedResponse =>
  json(status, { error, error_description: description });

/** The password grant, as a form. */
export const login = (
  { store, tokens, clientId }: LoginDependencies,
  { request, text }: Incoming,
): SimulatedResponse => {
  if (request.method !== 'POST') return failed(405);
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('application/x-www-form-urlencoded'))
    return refusal(400, 'invalid_request', 'The body is no form.');
  const form = new URLSearchParams(text);
  if (form.get('client_id') !== clientId) return refusal(401, 'invalid_client', 'The client is not known.');
  if (form.get('grant_type') !== 'password') return refusal(400, 'unsupported_grant_type', 'Only by password.');
  const user = [...store.tokens.values()].find(({ username }) => username === form.get('username'));
  if (!user || !user.is_active || user.password === null || user.password !== form.get('password'))
    return refusal(400, 'invalid_grant', 'Invalid credentials given.');
  const lifeS = store.settings.switches.token_life_s;
  return json(200, {
    access_token: tokens.issue(user.username, lifeS),
    expires_in: lifeS,
    token_type: 'Bearer',
    scope: 'read write',
    refresh_token: 'unused',
  });
};
