import { Hono } from 'hono';
import test from 'ava';
import { hostGuard, isLocalHost } from './host-guard.ts';

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
