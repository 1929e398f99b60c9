import { RelayError } from '@ranger-relay/errors';
import type { HttpClient } from '@ranger-relay/http';
import {
  createApi,
  createTokenSource,
  neededVariables,
  platformSettings,
  type PlatformApi,
  type TokenSource,
} from '@ranger-relay/platform';
import type { Clock } from '@ranger-relay/runtime';
import type { ActionsCliEnv } from './env.ts';

/** The platform as far as a look at it goes. */
export interface PlatformAccess {
  readonly tokens: TokenSource;
  readonly api: PlatformApi;
}

/** Some platform is named. */
export const namesPlatform = (env: ActionsCliEnv): boolean => neededVariables.some((name) => env[name] !== undefined);

/** Reads from the platform that the environment names; null when it names none. @throws RelayError `config_invalid` when only in part */
export const platformAccess = (env: ActionsCliEnv, http: HttpClient, clock: Clock): PlatformAccess | null => {
  if (!namesPlatform(env)) return null;
  const settings = platformSettings(env);
  const tokens = createTokenSource(settings, http, clock);
  return { tokens, api: createApi(settings.apiBaseUrl, http, tokens) };
};

/** Stands in for a platform that is not named. */
export const noPlatform: PlatformApi = {
  get: () => {
    const reason = 'PLATFORM_API_BASE_URL and the other PLATFORM_ variables are not set';
    return Promise.reject(new RelayError('platform_unavailable', { details: { reason } }));
  },
};
