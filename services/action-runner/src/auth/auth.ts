import { type ActionContext, defineAction } from '@ranger-relay/actions';
import { RelayError, toRelayError } from '@ranger-relay/errors';
import type { SiteCredentials } from '@ranger-relay/site';
import { z } from 'zod';
import type { SiteDependencies } from '../tools.ts';

/** The owner of the credentials, as `user/me` returns it; other members are accepted. */
const siteUserSchema = z.looseObject({
  is_active: z.boolean().nullish(),
  username: z.string().nullish(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
  is_superuser: z.boolean().nullish(),
  permissions: z.record(z.string(), z.unknown()).nullish(),
});

/** Whether the payload is an active user; the site must state so explicitly. */
export const isActiveUser = (payload: unknown): boolean => siteUserSchema.safeParse(payload).data?.is_active === true;

const maxLength = 4_000;

/** Settings of the action `auth`: how the integration authenticates at its site. */
export const authConfig = z.object({
  authentication_type: z
    .enum(['token', 'username_password'])
    .default('token')
    .meta({
      title: 'Authentication',
      description: 'By a token of the site, or by user name and password.',
      labels: { token: 'Token', username_password: 'User name and password' },
    }),
  token: z.string().max(maxLength).default('').meta({
    title: 'Token',
    description: 'Created at the site; used with the authentication "token".',
    secret: true,
    format: 'password',
  }),
  username: z.string().max(maxLength).default('').meta({
    title: 'User name',
    description: 'Used with the authentication "username_password".',
  }),
  password: z.string().max(maxLength).default('').meta({
    title: 'Password',
    description: 'Used with the authentication "username_password".',
    secret: true,
    format: 'password',
  }),
});

type AuthConfig = z.output<typeof authConfig>;

/** The credentials that the settings select; the site's client validates them. */
export const credentialsOf = ({ authentication_type: kind, token, username, password }: AuthConfig): SiteCredentials =>
  kind === 'token' ? { kind: 'token', token } : { kind: 'password', username, password };

const invalid = (problem: string): RelayError => new RelayError('site_credentials_invalid', { details: { problem } });

/**
 * Reads the stored settings of `auth` for another action.
 * @throws RelayError `site_credentials_invalid`, which names members and never their values
 */
export const readAuthConfig = (stored: unknown): AuthConfig => {
  if (stored === null || stored === undefined) throw invalid('the integration has no auth settings');
  const { data, error } = authConfig.safeParse(stored);
  if (data) return data;
  const [issue] = error.issues;
  throw invalid(`${issue?.path.map(String).join('.') || 'the settings'}: ${issue?.message ?? 'not as expected'}`);
};

/** Output of the action; rejected credentials are a result, not a failure of the action. */
type AuthResult = { readonly valid_credentials: true } | { readonly valid_credentials: false; readonly error: string };

type AuthContext = Pick<
  ActionContext<AuthConfig, unknown, SiteDependencies>,
  'config' | 'integration' | 'signal' | 'tools'
>;

const ask = async ({ config, integration, signal, tools }: AuthContext): Promise<AuthResult> => {
  const reader = tools.openReader(integration, config, signal);
  if (config.authentication_type === 'username_password') {
    await reader.signIn();
    return { valid_credentials: true };
  }
  return isActiveUser(await reader.get('user/me'))
    ? { valid_credentials: true }
    : { valid_credentials: false, error: 'The user of the token is not active at the site' };
};

/** Checks whether the site accepts the credentials (platform contract, site pull actions). */
const checkSiteCredentials = async (context: AuthContext): Promise<AuthResult> => {
  try {
    return await ask(context);
  } catch (error) {
    context.signal.throwIfAborted();
    return { valid_credentials: false, error: toRelayError(error).message };
  }
};

/** The action `auth`. */
export const authAction = defineAction<typeof authConfig, never, SiteDependencies>({
  type: 'auth',
  title: 'Authentication',
  description: 'Credentials of the integration at its site; running the action checks whether the site accepts them.',
  config: authConfig,
  executable: true,
  branches: { member: 'authentication_type', is: 'token', matching: ['token'], others: ['username', 'password'] },
  run: checkSiteCredentials,
});
