import { defineAction, type ActionContext } from '@ranger-relay/actions';
import { toRelayError } from '@ranger-relay/errors';
import type { SiteTools } from '../tools.ts';
import { isActiveUser } from './user.ts';
import { authConfig, type AuthConfig } from './config.ts';

/** Output of the action; whatever was found, it is no failure of the action. */
export type AuthResult =
  { readonly valid_credentials: true } | { readonly valid_credentials: false; readonly error: string };

type AuthContext = Pick<ActionContext<AuthConfig, unknown, SiteTools>, 'config' | 'integration' | 'signal' | 'tools'>;

const ask = async ({ config, integration, signal, tools }: AuthContext): Promise<AuthResult> => {
  const reader = tools.openReader(integration, config, signal);
  if (config.authentication_type === 'username_password') {
    await reader.signIn();
    return { valid_credentials: true };
  }
  return isActiveUser(await reader.get('user/me'))
    ? { valid_credentials: true }
    : { valid_credentials: false, error: 'The site does not count the owner of the token as active' };
};

/** Asks the site whether it takes the credentials (platform contract, site pull actions). */
export const checkSiteCredentials = async (context: AuthContext): Promise<AuthResult> => {
  try {
    return await ask(context);
  } catch (error) {
    context.signal.throwIfAborted();
    return { valid_credentials: false, error: toRelayError(error).message };
  }
};

/** The action `auth`. */
export const authAction = defineAction<typeof authConfig, never, SiteTools>({
  type: 'auth',
  title: 'Authentication',
  description: 'How the integration is known to its site; running it asks the site whether it takes the credentials.',
  config: authConfig,
  executable: true,
  run: checkSiteCredentials,
});
