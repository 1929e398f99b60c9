import { loopbackServer, type ReceivedRequest } from '@ranger-relay/http/testing';
import type { ExecutionContext } from 'ava';

/** A platform on loopback that knows one integration, for a runner with its real connections. */
export interface LoopbackPlatform {
  /** Variables that point a service at it. */
  readonly env: Readonly<Record<string, string>>;
  /** Configuration data by action. */
  configurations: Record<string, object>;
  /** How often the integration was asked for. */
  loads: number;
  baseUrl: string | null;
  /** Answers in its place when it returns a response. */
  onCall: (request: ReceivedRequest) => Response | undefined;
}

/** What a runner shows itself with there. */
export const clientSecret = 'c4n4ry-client-secret';
/** What it gets for that. */
const platformToken = 'c4n4ry-platform-token';

const integrationOf = ({ configurations, baseUrl }: LoopbackPlatform, id: string): object => ({
  id,
  name: 'Park',
  base_url: baseUrl,
  enabled: true,
  type: { id: 'type', value: 'site_connector', actions: [], webhook: null },
  configurations: Object.entries(configurations).map(([value, data]) => ({
    id: `configuration-${value}`,
    integration: id,
    action: { type: 'generic', value },
    data,
  })),
  webhook_configuration: null,
});

/** Starts it; the test's end closes it. */
export const loopbackPlatform = async (t: ExecutionContext, id: string): Promise<LoopbackPlatform> => {
  const { origin } = await loopbackServer(t, (request) => {
    const response = platform.onCall(request);
    if (response) return response;
    if (request.url === '/token') return Response.json({ access_token: platformToken, expires_in: 3_600 });
    if (request.url !== `/v2/integrations/${id}/`) return Response.json({ detail: 'Not found.' }, { status: 404 });
    platform.loads += 1;
    return Response.json(integrationOf(platform, id));
  });
  const platform: LoopbackPlatform = {
    configurations: {},
    loads: 0,
    baseUrl: null,
    onCall: () => undefined,
    env: {
      PLATFORM_API_BASE_URL: origin,
      PLATFORM_SENSORS_BASE_URL: origin,
      PLATFORM_TOKEN_URL: `${origin}/token`,
      PLATFORM_CLIENT_ID: 'relay',
      PLATFORM_CLIENT_SECRET: clientSecret,
    },
  };
  return platform;
};
