import test from 'ava';
import {
  createPusher,
  createVendor,
  envelopeMaker,
  freshSite,
  seeded,
  type SimRequest,
  type SimServer,
  type SimServerOptions,
  type SimulatedResponse,
  type SimulatorCall,
  type SimulatorClient,
  type SimulatorListen,
  type SimulatorReply,
  startPlatform,
  startVendorInbound,
} from './index.ts';
import { manualClock } from './test/manual-clock.ts';

const host = 'sim.invalid';

const requestOf = ({ method, url, headers = {}, body = '' }: SimulatorCall): SimRequest => {
  const { pathname: path, searchParams: query } = new URL(url);
  return { method, path, query, headers, caller: undefined, body: async () => Buffer.from(body as string) };
};

const replyOf = ({ status, headers = {}, body = '' }: SimulatedResponse): SimulatorReply => ({
  status,
  headers,
  body,
  error: null,
});

/** Servers by their ports, and clients that call them without a connection. */
const network = () => {
  const servers = new Map<string, SimServerOptions['handle']>();
  const closed: string[] = [];
  const listen: SimulatorListen = async ({ port, handle }): Promise<SimServer> => {
    const url = `http://${host}:${port}`;
    const comeUp = async (): Promise<void> => void servers.set(url, handle);
    const goDown = async (): Promise<void> => void servers.delete(url);
    await comeUp();
    return { port, url, comeUp, goDown, close: goDown };
  };
  const client = (name: string): SimulatorClient => ({
    async send(call) {
      const handle = servers.get(new URL(call.url).origin);
      return handle
        ? replyOf(await handle(requestOf(call)))
        : { status: null, headers: {}, body: '', error: 'ECONNREFUSED' };
    },
    close: () => void closed.push(name),
  });
  return { listen, client, closed };
};

test('with servers and clients that are given, no simulator opens a port or a connection', async (t) => {
  const { listen, client, closed } = network();
  const clock = manualClock();
  const common = { host, clock, random: seeded(1), listen };
  const caller = client('caller');

  const platform = await startPlatform({ ...common, port: 1, integrations: [{ id: 'a' }] });
  t.is((await caller.send({ method: 'GET', url: `${platform.url}/_sim/stats` })).status, 200);
  const site = await freshSite({ ...common, port: 2 });
  const headers = { authorization: `Bearer ${site.token}` };
  t.is((await caller.send({ method: 'GET', url: `${site.url}/api/v1.0/user/me`, headers })).status, 200);
  const inbound = await startVendorInbound({ ...common, port: 3, username: 'u', password: 'p', devices: ['1'] });
  const url = `${inbound.url}/IPCInbound/V1/Pingback.svc/PingbackRequest`;
  t.is((await caller.send({ method: 'POST', url })).status, 401);

  const received: string[] = [];
  const receiver = await listen({
    host,
    port: 4,
    async handle({ path }) {
      received.push(path);
      return { status: 200 };
    },
  });
  const targetUrl = `${receiver.url}/webhooks`;
  const vendor = createVendor({ targetUrl, auth: 'none', clock, random: seeded(2), client: client('vendor') });
  vendor.send([{ imei: '1' }]);
  await vendor.idle();
  const pusher = createPusher({ clock, random: seeded(3), client: client('pusher') });
  t.true((await pusher.push(`${receiver.url}/push-data`, envelopeMaker(clock, seeded(4))({}))).acked);
  t.deepEqual(received, ['/webhooks', '/push-data']);

  pusher.close();
  await Promise.all([vendor.close(), platform.close(), site.close(), inbound.close()]);
  t.deepEqual(closed.toSorted(), ['pusher', 'vendor']);
});
