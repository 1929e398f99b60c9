import type { LookupAddress } from 'node:dns';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { clientFor, serveHttp } from './testing/loopback.ts';

const hidden = [
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://127.1/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://169.254.169.254/latest',
  'https://10.0.0.1/',
  'https://[fd00::1]/',
  'https://0.0.0.0/',
  'https://user:pass@127.0.0.1/',
];

for (const url of hidden)
  test(`${url} is refused before anything is opened`, async (t) => {
    const client = clientFor(t, { allowedNetworks: [] });
    const error = await t.throwsAsync(client.request({ method: 'GET', url }), { instanceOf: RelayError });
    t.true(isRelayError(error, 'http_address_refused'), error.code);
    t.is(error.ambiguous, false);
  });

test('an address written as a number reaches an allowed network', async (t) => {
  const port = await serveHttp(t, (_, answer) => answer.end('{}'));
  const answer = await clientFor(t).request({ method: 'GET', url: `http://2130706433:${port}/x` });
  t.is(answer.status, 200);
  t.is(answer.target, `GET 127.0.0.1:${port}/x`);
});

test('plain http to a public address is refused', async (t) => {
  const error = await t.throwsAsync(clientFor(t).request({ method: 'GET', url: 'http://8.8.8.8/' }));
  t.true(isRelayError(error, 'http_scheme_refused'));
});

test('another scheme and an unreadable address are refused', async (t) => {
  const client = clientFor(t);
  const scheme = await t.throwsAsync(client.request({ method: 'GET', url: 'ftp://host/x' }));
  t.true(isRelayError(scheme, 'http_scheme_refused'));
  const address = await t.throwsAsync(client.request({ method: 'GET', url: 'https://' }));
  t.true(isRelayError(address, 'http_connect'));
});

const names = (addresses: Record<string, LookupAddress[]>) => (name: string) => Promise.resolve(addresses[name] ?? []);
const loopback: LookupAddress = { address: '127.0.0.1', family: 4 };

test('a name that resolves to loopback is refused', async (t) => {
  let calls = 0;
  const port = await serveHttp(t, (_, answer) => {
    calls += 1;
    answer.end('{}');
  });
  const client = clientFor(t, { allowedNetworks: [], resolve: names({ 'inner.example': [loopback] }) });
  for (const scheme of ['http', 'https']) {
    const error = await t.throwsAsync(client.request({ method: 'GET', url: `${scheme}://inner.example:${port}/` }));
    t.true(isRelayError(error, 'http_address_refused'));
    t.regex(error.message, /127\.0\.0\.1/);
  }
  t.is(calls, 0);
});

test('the name of the machine itself is refused by the system’s own resolver', async (t) => {
  const client = clientFor(t, { allowedNetworks: [] });
  const error = await t.throwsAsync(client.request({ method: 'GET', url: 'https://localhost/' }));
  t.true(isRelayError(error, 'http_address_refused'));
});

test('a name is looked up once, and what was judged is what is connected to', async (t) => {
  const port = await serveHttp(t, (_, answer) => answer.end('{}'));
  const asked: string[] = [];
  const client = clientFor(t, {
    resolve: (name) => {
      asked.push(name);
      return Promise.resolve([asked.length === 1 ? loopback : { address: '10.9.9.9', family: 4 }]);
    },
  });
  const answer = await client.request({ method: 'GET', url: `http://once.example:${port}/` });
  t.is(answer.status, 200);
  t.deepEqual(asked, ['once.example']);
});

test('a name without an address is a failed connection', async (t) => {
  const error = await t.throwsAsync(
    clientFor(t, { resolve: names({}) }).request({ method: 'GET', url: 'https://none.example/' }),
  );
  t.true(isRelayError(error, 'http_connect'));
  t.regex(error.message, /ENOTFOUND/);
});
