import {
  seeded,
  simulatorClock,
  startPlatform,
  type PlatformSimulator,
  type SiteDataSimulator,
} from '@ranger-relay/simulators';

/** The one integration of a platform, which pulls from a site. */
export interface SiteIntegration {
  readonly id: string;
  readonly api_key?: string;
  readonly configurations: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Starts a platform with an integration of a site; `env` are the variables that lead a service to it. */
export const startSitePlatform = async (
  { url }: Pick<SiteDataSimulator, 'url'>,
  integration: SiteIntegration,
): Promise<{ readonly platform: PlatformSimulator; readonly env: Readonly<Record<string, string>> }> => {
  const platform = await startPlatform({
    host: '127.0.0.1',
    port: 0,
    clock: simulatorClock,
    random: seeded(1),
    integrations: [{ ...integration, type: 'site_connector', base_url: url }],
  });
  const { apiBaseUrl, sensorsBaseUrl, tokenUrl, client } = platform;
  const env = {
    PLATFORM_API_BASE_URL: apiBaseUrl,
    PLATFORM_SENSORS_BASE_URL: sensorsBaseUrl,
    PLATFORM_TOKEN_URL: tokenUrl,
    PLATFORM_CLIENT_ID: client.id,
    PLATFORM_CLIENT_SECRET: client.secret,
  };
  return { platform, env };
};
