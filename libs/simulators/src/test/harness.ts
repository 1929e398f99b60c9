import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { createClient, type Call, type Reply } from '../http/client.ts';
import { startPlatform, type PlatformOptions, type PlatformSimulator } from '../platform/start.ts';
import { seeded } from '../time/random.ts';
import { manualClock, type ManualClock } from './manual-clock.ts';

/** Ids of the integrations in a test's platform. */
export const first = '11111111-1111-4111-8111-111111111111';
export const second = '22222222-2222-4222-8222-222222222222';

/** A platform with two integrations, and a caller. */
export interface Harness {
  readonly clock: ManualClock;
  readonly platform: PlatformSimulator;
  call(method: Call['method'], path: string, more?: Partial<Call>): Promise<Reply>;
  /** A call with a JSON body to the sensors API, with the key of the first integration unless another is given. */
  post(path: string, body: unknown, key?: string): Promise<Reply>;
  /** A good bearer token's header. */
  bearer(): Promise<Record<string, string>>;
  askToken(change?: Readonly<Record<string, string>>): Promise<Reply>;
}

/** A directory that goes away with the test. */
export const scratch = (t: ExecutionContext): string => {
  const dir = mkdtempSync(join(tmpdir(), 'simulators-'));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

/** Starts a platform that ends with the test. */
export const startHarness = async (t: ExecutionContext, options: Partial<PlatformOptions> = {}): Promise<Harness> => {
  const clock = manualClock();
  const integrations = [
    { id: first, api_key: 'key-1' },
    { id: second, api_key: 'key-2' },
  ];
  const platform = await startPlatform({
    host: '127.0.0.1',
    port: 0,
    clock,
    random: seeded(1),
    integrations,
    ...options,
  });
  const client = createClient();
  t.teardown(async () => {
    client.close();
    await platform.close();
  });
  const call: Harness['call'] = (method, path, more) =>
    client.send({ method, url: platform.url + path, timeoutMs: 5_000, ...more });
  const askToken: Harness['askToken'] = (change = {}) => {
    const form = {
      grant_type: 'client_credentials',
      scope: 'openid',
      client_id: 'relay',
      client_secret: 'relay-secret',
    };
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return call('POST', '/auth/token', { headers, body: new URLSearchParams({ ...form, ...change }).toString() });
  };
  return {
    clock,
    platform,
    call,
    askToken,
    post: (path, body, key = 'key-1') =>
      call('POST', path, { headers: { 'content-type': 'application/json', apikey: key }, body: JSON.stringify(body) }),
    async bearer() {
      const { access_token } = JSON.parse((await askToken()).body) as { access_token: string };
      return { authorization: `Bearer ${access_token}` };
    },
  };
};

/** A good observation; `n` makes it different from others. */
export const observation = (n = 0, change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  source: '300434030000000',
  recorded_at: '2026-01-01T00:00:00Z',
  location: { lat: -1.3, lon: 36.8 },
  additional: { n, lowBattery: null },
  ...change,
});

/** A good message. */
export const message = (n = 0, change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  source: '300434030000000',
  sender: '300434030000000',
  recipients: [],
  text: `text ${n}`,
  recorded_at: '2026-01-01T00:00:00Z',
  location: { latitude: -1.3, longitude: 36.8 },
  ...change,
});

/** The JSON of an answer. */
export const bodyOf = <T>(reply: Reply): T => JSON.parse(reply.body) as T;

/** Waits, turn by turn of the event loop, until something in this process holds. */
export const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
};
