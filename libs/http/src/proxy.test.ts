import { createServer, type IncomingMessage } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { isRelayError } from '@ranger-relay/errors';
import test, { type ExecutionContext } from 'ava';
import type { HttpClientOptions } from './client.ts';
import { clientFor, listen, serveHttp } from './testing/loopback.ts';

const client = (t: ExecutionContext, options: Partial<HttpClientOptions> = {}) =>
  clientFor(t, { allowedNetworks: ['0.0.0.0/0', '::/0'], ...options });

test('a proxy of the environment is used, but not for the hosts that need none', async (t) => {
  const seen: string[] = [];
  const proxy = createServer((request: IncomingMessage, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end('{"by":"proxy"}');
  });
  proxy.on('connect', (request: IncomingMessage, socket) => {
    seen.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  const port = await serveHttp(t, (_, response) => response.end('{"by":"target"}'));
  const address = `http://127.0.0.1:${await listen(t, proxy)}`;
  const http = client(t, { proxy: { HTTP_PROXY: address, HTTPS_PROXY: address, NO_PROXY: '127.0.0.1' } });
  const answer = await http.request({ method: 'GET', url: 'http://site.example/api/x' });
  t.deepEqual(answer.json(), { by: 'proxy' });
  const refused = await t.throwsAsync(http.request({ method: 'POST', url: 'https://site.example/', json: {} }));
  t.true(isRelayError(refused, 'http_connect') && !refused.ambiguous);
  t.deepEqual(seen, ['GET http://site.example/api/x', 'CONNECT site.example:443']);
  t.deepEqual((await http.request({ method: 'GET', url: `http://127.0.0.1:${port}/` })).json(), { by: 'target' });
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
