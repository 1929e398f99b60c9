import { RelayError } from '@ranger-relay/errors';
import type { SiteCredentials } from '@ranger-relay/site';
import { z } from 'zod';

const longest = 4_000;

/** Settings of the action `auth`: how the integration is known to its site. */
export const authConfig = z.object({
  authentication_type: z.enum(['token', 'username_password']).default('token').meta({
    title: 'Authentication',
    description: 'By a token of the site, or by user name and password.',
  }),
  token: z.string().max(longest).default('').meta({
    title: 'Token',
    description: 'Made at the site; used with the authentication "token".',
    secret: true,
    format: 'password',
  }),
  username: z.string().max(longest).default('').meta({
    title: 'User name',
    description: 'Used with the authentication "username_password".',
  }),
  password: z.string().max(longest).default('').meta({
    title: 'Password',
    description: 'Used with the authentication "username_password".',
    secret: true,
    format: 'password',
  }),
});

export type AuthConfig = z.output<typeof authConfig>;

/** The credentials that the settings choose; whether they can be used is for the client of the site to say. */
export const credentialsOf = ({ authentication_type: kind, token, username, password }: AuthConfig): SiteCredentials =>
  kind === 'token' ? { kind: 'token', token } : { kind: 'password', username, password };

const invalid = (problem: string): RelayError => new RelayError('site_credentials_invalid', { details: { problem } });

/**
 * The stored settings of `auth`, as another action finds them.
 * @throws RelayError `site_credentials_invalid`, which names members and never their values
 */
export const readAuthConfig = (stored: unknown): AuthConfig => {
  if (stored === null || stored === undefined) throw invalid('the integration has no auth settings');
  const { data, error } = authConfig.safeParse(stored);
  if (data) return data;
  const [issue] = error.issues;
  throw invalid(`${issue?.path.map(String).join('.') || 'the settings'}: ${issue?.message ?? 'not as expected'}`);
};
