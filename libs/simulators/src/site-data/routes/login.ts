import { json, type Answer, type SimRequest } from '../../http/answer.ts';
import type { SiteData } from '../records.ts';
import type { DataTokens } from '../tokens.ts';

/** What a login is decided with. */
export interface LoginParts {
  readonly data: SiteData;
  readonly tokens: DataTokens;
  readonly clientId: string;
  /** Seconds. */
  readonly lifeS: number;
}

const refusal = (status: number, error: string, description: string): Answer =>
  json(status, { error, error_description: description });

/** `POST /oauth2/token`: the password grant, as a form. */
export const login = async ({ data, tokens, clientId, lifeS }: LoginParts, request: SimRequest): Promise<Answer> => {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('application/x-www-form-urlencoded'))
    return refusal(400, 'invalid_request', 'The body is no form.');
  const form = new URLSearchParams((await request.body()).toString());
  if (form.get('client_id') !== clientId) return refusal(401, 'invalid_client', 'The client is not known.');
  if (form.get('grant_type') !== 'password') return refusal(400, 'unsupported_grant_type', 'Only by password.');
  const user = data.users.find(({ username }) => username === form.get('username'));
  if (!user || !user.is_active || user.password !== form.get('password'))
    return refusal(400, 'invalid_grant', 'Invalid credentials given.');
  return json(200, {
    access_token: tokens.issue(user.username, lifeS),
    expires_in: lifeS,
    token_type: 'Bearer',
    scope: 'read write',
    refresh_token: 'unused',
  });
};
