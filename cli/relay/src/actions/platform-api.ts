import { RelayError } from '@ranger-relay/errors';
import { createHttpClient, type HttpClient } from '@ranger-relay/http';
import {
  createApi,
  createCall,
  createTokenSource,
  neededVariables,
  platformSettings,
  type PlatformApi,
  type PlatformCall,
  type TokenSource,
} from '@ranger-relay/platform';
import { type Clock, commonEnv, type Env, parseEnv, platformEnv } from '@ranger-relay/runtime';
import type { Shell } from '@ranger-relay/terminal';

/** Variables of commands that call the platform. */
export const platformCallEnv = { ...platformEnv, HTTP_ALLOWED_NETWORKS: commonEnv.HTTP_ALLOWED_NETWORKS } as const;

type PlatformEnv = Env<typeof platformEnv>;

/** A client that applies the network rules of the services. */
export const guardedClient = (clock: Clock, allowedNetworks: readonly string[], upstream: string): HttpClient =>
  createHttpClient({ clock, allowedNetworks, userAgent: 'ranger-relay', upstream });

/** Access to the platform. */
export interface PlatformAccess {
  readonly tokens: TokenSource;
  readonly api: PlatformApi;
  readonly call: PlatformCall;
}

const accessOf = (env: PlatformEnv, http: HttpClient, clock: Clock): PlatformAccess => {
  const settings = platformSettings(env);
  const tokens = createTokenSource(settings, http, clock);
  const { apiBaseUrl } = settings;
  return { tokens, api: createApi(apiBaseUrl, http, tokens), call: createCall(apiBaseUrl, http, tokens) };
};

/** A platform is configured. */
export const namesPlatform = (env: PlatformEnv): boolean => neededVariables.some((name) => env[name] !== undefined);

/** The configured platform; null when none is configured. @throws RelayError `config_invalid` when only in part */
export const platformAccess = (env: PlatformEnv, http: HttpClient, clock: Clock): PlatformAccess | null =>
  namesPlatform(env) ? accessOf(env, http, clock) : null;

/** The platform API, for one command. */
export type OpenedPlatform = Pick<PlatformAccess, 'api' | 'call'> & Pick<HttpClient, 'close'>;

/** Opens the platform that the environment names; nothing is sent yet. @throws RelayError `config_invalid` */
export const openPlatform = ({ env, clock }: Pick<Shell, 'env' | 'clock'>): OpenedPlatform => {
  const settings = parseEnv(platformCallEnv, env);
  const http = guardedClient(clock, settings.HTTP_ALLOWED_NETWORKS, 'platform');
  return { ...accessOf(settings, http, clock), close: http.close };
};

/** Replaces a platform that is not configured. */
export const noPlatform: PlatformApi = {
  get: () => {
    const reason = 'PLATFORM_API_BASE_URL and the other PLATFORM_ variables are not set';
    return Promise.reject(new RelayError('platform_unavailable', { details: { reason } }));
  },
};
