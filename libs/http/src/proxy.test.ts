import { createServer, type IncomingMessage } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { isRelayError } from '@ranger-relay/errors';
import test, { type ExecutionContext } from 'ava';
import type { HttpClientOptions } from './client.ts';
import { clientFor, listen, serveHttp } from './testing/loopback.ts';

const client = (t: ExecutionContext, options: Partial<HttpClientOptions> = {}) =>
  clientFor(t, { allowedNetworks: ['0.0.0.0/0', '::/0'], ...options });

/** A proxy that refuses every tunnel, and what it was asked. */
const startProxy = async (t: ExecutionContext) => {
  const seen: string[] = [];
  const proxy = createServer((request: IncomingMessage, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end('{"by":"proxy"}');
  });
  proxy.on('connect', (request: IncomingMessage, socket) => {
    seen.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  const address = `http://127.0.0.1:${await listen(t, proxy)}`;
  return { seen, env: { HTTP_PROXY: address, https_proxy: address, HTTPS_PROXY: 'http://127.0.0.1:1' } };
};

const loopbackName = async () => [{ address: '127.0.0.1', family: 4 }];
const privateName = async () => [{ address: '10.1.2.3', family: 4 }];
const publicName = async () => [{ address: '93.184.215.14', family: 4 }];
const unknownName = () => Promise.reject(new Error('ENOTFOUND'));
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'answered',
    (error: unknown) => (isRelayError(error) ? error.code : String(error)),
  );

test('a proxy of the environment is used, but not for loopback and the hosts that need none', async (t) => {
  const { seen, env } = await startProxy(t);
  const port = await serveHttp(t, (_, response) => response.end('{"by":"target"}'));
  const http = client(t, { env: { ...env, NO_PROXY: 'near.example' }, resolve: loopbackName });
  const answer = await http.request({ method: 'GET', url: 'http://site.example/api/x' });
  t.deepEqual(answer.json(), { by: 'proxy' });
  const refused = await t.throwsAsync(http.request({ method: 'POST', url: 'https://site.example/', json: {} }));
  t.true(isRelayError(refused, 'http_connect') && !refused.ambiguous);
  t.deepEqual(seen, ['GET http://site.example/api/x', 'CONNECT site.example:443']);
  for (const host of ['127.0.0.1', 'localhost', 'near.example'])
    t.deepEqual((await http.request({ method: 'GET', url: `http://${host}:${port}/` })).json(), { by: 'target' }, host);
});

test('a proxy in a network that is not allowed gets not a byte', async (t) => {
  const { seen, env } = await startProxy(t);
  const http = client(t, { env, allowedNetworks: [], resolve: publicName });
  const error = await t.throwsAsync(http.request({ method: 'POST', url: 'https://site.example/', json: {} }));
  t.true(isRelayError(error, 'http_address_refused'));
  t.regex(error?.message ?? '', /site\.example\/ or its proxy resolves to the private address 127\.0\.0\.1/);
  t.deepEqual(seen, []);
});

test('a target is judged as far as this machine can resolve it, also behind a proxy', async (t) => {
  const { seen, env } = await startProxy(t);
  const call = (url: string, resolve: typeof publicName) =>
    codeOf(client(t, { env, allowedNetworks: ['127.0.0.0/8'], resolve }).request({ method: 'GET', url }));
  t.is(await call('https://inside.example/', privateName), 'http_address_refused');
  t.is(await call('https://10.1.2.3/', publicName), 'http_address_refused');
  t.is(await call('http://site.example/', publicName), 'http_scheme_refused');
  t.deepEqual(seen, []);
  t.is(await call('https://site.example/', publicName), 'http_connect');
  t.is(await call('https://unknown.example/', unknownName), 'http_connect');
  t.deepEqual(seen, ['CONNECT site.example:443', 'CONNECT unknown.example:443']);
});

const encodings: Readonly<Record<string, (text: string) => Buffer>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
};

for (const [name, encode] of Object.entries(encodings)) {
  const encoded = (t: ExecutionContext, body: Buffer) =>
    serveHttp(t, (_, response) => response.writeHead(200, { 'content-encoding': name }).end(body));

  test(`an answer in ${name} is read`, async (t) => {
    const url = `http://127.0.0.1:${await encoded(t, encode('{"a":1}'))}/`;
    t.deepEqual((await client(t).request({ method: 'GET', url })).json(), { a: 1 });
  });

  test(`an answer in ${name} that unpacks to more than is read is refused`, async (t) => {
    const url = `http://127.0.0.1:${await encoded(t, encode(' '.repeat(100_000)))}/`;
    const error = await t.throwsAsync(client(t).request({ method: 'GET', url, maxBytes: 10_000 }));
    t.true(isRelayError(error, 'http_body_too_large'));
  });

  test(`bytes that are no ${name} are no answer`, async (t) => {
    const url = `http://127.0.0.1:${await encoded(t, Buffer.from('{"a":1}'))}/`;
    t.true(isRelayError(await t.throwsAsync(client(t).request({ method: 'GET', url })), 'http_body_unreadable'));
  });
}
