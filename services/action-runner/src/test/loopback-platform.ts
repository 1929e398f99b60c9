import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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
  /** Answers in its place when it returns true. */
  onCall: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** What a runner shows itself with there. */
export const clientSecret = 'c4n4ry-client-secret';
/** What it gets for that. */
const platformToken = 'c4n4ry-platform-token';

const json = (response: ServerResponse, value: object): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));

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
  const server = createServer((request, response) => {
    request.resume();
    if (platform.onCall(request, response)) return;
    if (request.url === '/token') return json(response, { access_token: platformToken, expires_in: 3_600 });
    if (request.url !== `/v2/integrations/${id}/`) return void response.writeHead(404).end('{"detail":"Not found."}');
    platform.loads += 1;
    json(response, integrationOf(platform, id));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const platform: LoopbackPlatform = {
    configurations: {},
    loads: 0,
    baseUrl: null,
    onCall: () => false,
    env: {
      PLATFORM_API_BASE_URL: url,
      PLATFORM_SENSORS_BASE_URL: url,
      PLATFORM_TOKEN_URL: `${url}/token`,
      PLATFORM_CLIENT_ID: 'relay',
      PLATFORM_CLIENT_SECRET: clientSecret,
    },
  };
  return platform;
};
