import { createHttpClient } from '@ranger-relay/http';
import {
  createApi,
  createCall,
  createTokenSource,
  platformSettings,
  type PlatformApi,
  type PlatformCall,
} from '@ranger-relay/platform';
import { commonEnv, parseEnv, platformEnv } from '@ranger-relay/runtime';
import type { Shell } from '@ranger-relay/terminal';

/** Variables of commands that call the platform. */
export const platformCallEnv = { ...platformEnv, HTTP_ALLOWED_NETWORKS: commonEnv.HTTP_ALLOWED_NETWORKS } as const;

/** The platform API, for one command. */
export interface OpenedPlatform {
  readonly call: PlatformCall;
  readonly api: PlatformApi;
  close(): void;
}

/** Opens the platform that the environment names; nothing is sent yet. @throws RelayError `config_invalid` */
export const openPlatform = (shell: Pick<Shell, 'env' | 'clock'>): OpenedPlatform => {
  const env = parseEnv(platformCallEnv, shell.env);
  const settings = platformSettings(env);
  const http = createHttpClient({
    clock: shell.clock,
    allowedNetworks: env.HTTP_ALLOWED_NETWORKS,
    userAgent: 'ranger-relay',
    upstream: 'platform',
  });
  const tokens = createTokenSource(settings, http, shell.clock);
  return {
    call: createCall(settings.apiBaseUrl, http, tokens),
    api: createApi(settings.apiBaseUrl, http, tokens),
    close: () => http.close(),
  };
};
