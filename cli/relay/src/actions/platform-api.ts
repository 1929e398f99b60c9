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

/** Read access to the platform. */
export interface PlatformAccess {
  readonly tokens: TokenSource;
  readonly api: PlatformApi;
}

/** A platform is configured. */
export const namesPlatform = (env: ActionsCliEnv): boolean => neededVariables.some((name) => env[name] !== undefined);

/** Reads from the configured platform; null when none is configured. @throws RelayError `config_invalid` when only in part */
export const platformAccess = (env: ActionsCliEnv, http: HttpClient, clock: Clock): PlatformAccess | null => {
  if (!namesPlatform(env)) return null;
  const settings = platformSettings(env);
  const tokens = createTokenSource(settings, http, clock);
  return { tokens, api: createApi(settings.apiBaseUrl, http, tokens) };
};

/** Replaces a platform that is not configured. */
export const noPlatform: PlatformApi = {
  get: () => {
    const reason = 'PLATFORM_API_BASE_URL and the other PLATFORM_ variables are not set';
    return Promise.reject(new RelayError('platform_unavailable', { details: { reason } }));
  },
};
