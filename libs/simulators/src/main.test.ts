import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { createClient } from './http/client.ts';
import { startServer } from './http/server.ts';

/** Runs a main file until it has printed its line; gives what it printed and how it ends on SIGTERM. */
const run = async (t: ExecutionContext, name: string, env: Readonly<Record<string, string>>) => {
  const main = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    printed: JSON.parse(line) as Record<string, unknown>,
    async stop() {
      child.kill('SIGTERM');
      const [code] = (await once(child, 'exit')) as [number | null];
      return code;
    },
  };
};

test('the inbound service runs alone, says where, and ends cleanly', async (t) => {
  const { printed, stop } = await run(t, './main-inbound.ts', { SIM_USERNAME: 'u', SIM_PASSWORD: 'p' });
  const client = createClient();
  const authorization = `Basic ${Buffer.from('u:p').toString('base64')}`;
  const url = `${String(printed['url'])}/IPCInbound/V1/Pingback.svc/PingbackRequest`;
  t.is((await client.send({ method: 'POST', url, headers: { authorization }, body: '{}' })).status, 200);
  client.close();
  t.is(await stop(), 0);
});

test('the vendor runs alone and sends its fleet’s events to the given address', async (t) => {
  const first = Promise.withResolvers<{ Events: { imei: string }[] }>();
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    async handle(request) {
      first.resolve(JSON.parse((await request.body()).toString()) as { Events: { imei: string }[] });
      return { status: 200 };
    },
  });
  t.teardown(server.close);
  const env = { SIM_TARGET_URL: `${server.url}/webhooks`, SIM_TOKEN: 'x', SIM_DEVICES: '2', SIM_INTERVAL_MS: '100' };
  const { printed, stop } = await run(t, './main-vendor.ts', env);
  const { Events } = await first.promise;
  t.true((printed['imeis'] as string[]).includes(Events[0]?.imei ?? ''));
  t.is(await stop(), 0);
});

test('the site runs alone, says where and with which tokens, and ends cleanly', async (t) => {
  const { printed, stop } = await run(t, './main-site.ts', { SIM_TOKEN: 'mine', SIM_LATENCY_MS: '1' });
  t.like(printed, { token: 'mine', ordinaryToken: 'ordinary-token' });
  const client = createClient();
  const url = `${String(printed['url'])}/api/v1.0/user/me`;
  const reply = await client.send({ method: 'GET', url, headers: { authorization: 'Bearer mine' } });
  t.is(reply.status, 200);
  client.close();
  t.is(await stop(), 0);
});

test('the site for those who pull runs alone, says where and as whom, and ends cleanly', async (t) => {
  const { printed, stop } = await run(t, './main-site-data.ts', { SIM_CLIENT_ID: 'mine' });
  t.like(printed, { clientId: 'mine' });
  const client = createClient();
  const url = `${String(printed['url'])}/api/v1.0/user/me`;
  const headers = { authorization: `Bearer ${String(printed['token'])}` };
  t.is((await client.send({ method: 'GET', url, headers })).status, 200);
  client.close();
  t.is(await stop(), 0);
});
