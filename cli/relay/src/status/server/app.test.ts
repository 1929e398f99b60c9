import { request } from 'node:http';
import { RelayError } from '@ranger-relay/errors';
import { createLifecycle, type Serve } from '@ranger-relay/runtime';
import { silentLogger, testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { Hono } from 'hono';
import { entry } from '../../activity/test/harness.ts';
import { overview } from '../test/harness.ts';
import { createStatusApp, hostGuard, isLocalHost, startStatusServer, type StatusAppDependencies } from './app.ts';
import type { SimulatedItem } from '../page/rows.ts';

const startHarness = async (t: ExecutionContext, port = 0) => {
  const lifecycle = createLifecycle(silentLogger());
  t.teardown(() => lifecycle.stop());
  const context = testContext({ lifecycle });
  const serving = await startStatusServer({ context, port, collect: async () => overview(), recentActivity: () => [] });
  return { serving, lifecycle };
};

const statusUnder = (port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/status.json', headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });

test('it answers on this machine, and a rebound name is refused on a real connection', async (t) => {
  const { serving } = await startHarness(t);
  t.is(await statusUnder(serving.port, `127.0.0.1:${serving.port}`), 200);
  t.is(await statusUnder(serving.port, 'rebound.example'), 403);
});

test('it listens on this machine alone', async (t) => {
  const hosts: string[] = [];
  const serve: Serve = async (_, { host }) => {
    hosts.push(host);
    return { port: 1, close: async () => undefined };
  };
  const context = testContext({ serve });
  await startStatusServer({ context, port: 0, collect: async () => overview(), recentActivity: () => [] });
  t.deepEqual(hosts, ['127.0.0.1']);
});

test('a port that is taken is said with its variable', async (t) => {
  const { serving } = await startHarness(t);
  await t.throwsAsync(startHarness(t, serving.port), {
    message: /^STATUS_PORT is \d+, and listening on 127\.0\.0\.1 failed/,
  });
});

test('the end of the process ends it', async (t) => {
  const { serving, lifecycle } = await startHarness(t);
  await lifecycle.stop();
  await t.throwsAsync(statusUnder(serving.port, 'localhost'));
});

for (const host of [
  'localhost',
  'localhost:8080',
  '127.0.0.1',
  '127.0.0.1:1',
  '[::1]',
  '[::1]:65535',
  'LOCALHOST:8080',
])
  test(`${host} is this machine`, (t) => t.true(isLocalHost(host)));

for (const host of [
  undefined,
  '',
  'evil.example',
  'evil.example:8080',
  'localhost.evil.example',
  'evil.example/localhost',
  '127.0.0.1.evil.example:8080',
  '127.0.0.2',
  '10.0.0.1:8080',
  'localhost:8080:8080',
  'localhost:',
  '[::1',
  'user@localhost',
])
  test(`${String(host)} is not this machine`, (t) => t.false(isLocalHost(host)));

const app = new Hono().use(hostGuard).all('/', (c) => c.text('in'));
const ask = (method: string, host: string) => app.request('/', { method, headers: { host } });

test('a request under another name is refused before anything is done', async (t) => {
  const answer = await ask('GET', 'rebound.example');
  t.is(answer.status, 403);
  t.notRegex(await answer.text(), /^in/);
});

test('only reading is answered', async (t) => {
  t.is((await ask('GET', 'localhost')).status, 200);
  t.is((await ask('HEAD', 'localhost')).status, 200);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const answer = await ask(method, 'localhost');
    t.is(answer.status, 405, method);
    t.is(answer.headers.get('allow'), 'GET, HEAD');
  }
});

const item: SimulatedItem = {
  kind: 'message',
  integration_id: 'a',
  at: '2026-01-01T00:00:00.000Z',
  item: { text: 'Back at noon' },
};

const harness = (parts: Partial<StatusAppDependencies> = {}) => {
  const limits: number[] = [];
  const context = testContext();
  const app = createStatusApp({
    context,
    collect: async () => overview(),
    recentActivity: (limit) => {
      limits.push(limit);
      return [entry(1)];
    },
    ...parts,
  });
  const get = (path: string, init: RequestInit = {}) =>
    app.request(`http://127.0.0.1:8080${path}`, { headers: { host: '127.0.0.1:8080' }, ...init });
  return { context, get, limits };
};

test('/status.json is exactly the status', async (t) => {
  const answer = await harness().get('/status.json');
  t.is(answer.status, 200);
  t.deepEqual(await answer.json(), overview().status);
});

test('/activity.json gives the newest entries up to a bounded limit', async (t) => {
  const { get, limits } = harness();
  t.deepEqual(await (await get('/activity.json')).json(), [entry(1)]);
  await get('/activity.json?limit=7');
  await get('/activity.json?limit=999999');
  t.deepEqual(limits, [50, 7, 200]);
});

for (const limit of ['0', '-1', 'x', '1e3', ''])
  test(`the limit "${limit}" is refused`, async (t) => {
    t.is((await harness().get(`/activity.json?limit=${limit}`)).status, 400);
  });

test('/simulated.json is there only while simulators run', async (t) => {
  t.is((await harness().get('/simulated.json')).status, 404);
  const { get } = harness({ simulated: async () => [item] });
  t.deepEqual(await (await get('/simulated.json?limit=5')).json(), [item]);
  t.regex(await (await get('/')).text(), /Back at noon/);
});

test('health and metrics are answered', async (t) => {
  const { get, context } = harness();
  t.is((await get('/livez')).status, 200);
  t.is((await get('/readyz')).status, 200);
  context.health.drain();
  t.is((await get('/readyz')).status, 503);
  t.regex(await (await get('/metrics')).text(), /relay_webhook_requests_total/);
});

const away = () => Promise.reject(new RelayError('kv_unavailable', { details: { reason: 'test' } }));

test('a store that is away is a 503 with its sentence, on the page too', async (t) => {
  const { get } = harness({ collect: away });
  const answer = await get('/status.json');
  t.is(answer.status, 503);
  t.deepEqual(await answer.json(), {
    detail: { code: 'kv_unavailable', error: 'The key-value store does not answer: test' },
  });
  for (const path of ['/', '/parts']) {
    const page = await get(path);
    t.is(page.status, 503);
    t.regex(await page.text(), /id="verdict"[^>]*class="bad".*The key-value store does not answer: test/s);
  }
});

test('the page and its parts show the same verdict as the status', async (t) => {
  const { get, context } = harness();
  context.metrics.count('relay_webhook_requests_total', { status: '200' }, 3);
  const { verdict } = (await (await get('/status.json')).json()) as { verdict: { text: string } };
  for (const path of ['/', '/parts']) {
    const text = await (await get(path)).text();
    t.true(text.includes(verdict.text));
    t.regex(text, /<b>3<\/b>.*POSTs taken/s);
  }
});

const paths = [
  '/',
  '/status.json',
  '/parts',
  '/activity.json',
  '/simulated.json',
  '/livez',
  '/readyz',
  '/metrics',
  '/nothing',
];

for (const path of paths) {
  test(`${path} under the name of another site is refused`, async (t) => {
    const { get } = harness({ simulated: () => [item] });
    const answer = await get(path, { headers: { host: 'rebound.example:8080' } });
    t.is(answer.status, 403);
    t.notRegex(await answer.text(), /Back at noon|accepted/);
  });

  test(`${path} takes no writing`, async (t) => {
    t.is((await harness().get(path, { method: 'POST', headers: { host: 'localhost' } })).status, 405);
  });

  test(`${path} may be neither sniffed, embedded elsewhere nor stored`, async (t) => {
    const { headers } = await harness({ simulated: () => [item] }).get(path);
    t.is(headers.get('x-content-type-options'), 'nosniff');
    t.is(headers.get('cross-origin-resource-policy'), 'same-origin');
    t.is(headers.get('cache-control'), 'no-store');
    t.is(headers.get('access-control-allow-origin'), null);
  });
}

test('the page comes with its policy', async (t) => {
  const answer = await harness().get('/');
  t.regex(answer.headers.get('content-type') ?? '', /^text\/html/);
  t.regex(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
});
