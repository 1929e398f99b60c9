import { type ErrorCode, isRelayError, RelayError } from '@ranger-relay/errors';
import test, { type ExecutionContext } from 'ava';
import type { HttpClient, HttpRequest } from './port.ts';
import { clientFor, deadPort, serveHttp, serveTcp } from './test/loopback.ts';

const failing = async (
  t: ExecutionContext,
  client: HttpClient,
  request: Partial<HttpRequest> & { url: string },
): Promise<RelayError> =>
  t.throwsAsync(client.request({ method: 'POST', json: [1], ...request }), { instanceOf: RelayError });

const is = (t: ExecutionContext, error: RelayError, code: ErrorCode, ambiguous: boolean): void => {
  t.true(isRelayError(error, code), `${error.code}: ${error.message}`);
  t.is(error.ambiguous, ambiguous);
};

/** Long enough for a request to be sent on a machine that is busy. */
const longMs = 1_500;

const noResolver = () => Promise.reject(Object.assign(new Error('no'), { code: 'EAI_AGAIN' }));

test('a refused connection: not carried out', async (t) => {
  const error = await failing(t, clientFor(t), { url: `http://127.0.0.1:${await deadPort()}/` });
  is(t, error, 'http_connect', false);
  t.regex(error.message, /ECONNREFUSED/);
});

test('a name that cannot be looked up: not carried out', async (t) => {
  const error = await failing(t, clientFor(t, { resolve: noResolver }), { url: 'https://gone.example/' });
  is(t, error, 'http_connect', false);
});

test('a look-up without end: connect limit, not carried out', async (t) => {
  const client = clientFor(t, { resolve: () => new Promise(() => undefined) });
  const error = await failing(t, client, { url: 'https://slow.example/', connectMs: 30 });
  is(t, error, 'http_timeout', false);
  t.like(error.details, { phase: 'connect', ms: 30 });
});

test('a server that does not speak TLS: not carried out', async (t) => {
  const port = await serveHttp(t, (_, answer) => answer.end());
  const error = await failing(t, clientFor(t), { url: `https://127.0.0.1:${port}/` });
  is(t, error, 'http_connect', false);
});

test('a TLS handshake without end: connect limit, not carried out', async (t) => {
  const port = await serveTcp(t, () => undefined);
  const error = await failing(t, clientFor(t), { url: `https://127.0.0.1:${port}/`, connectMs: 40 });
  is(t, error, 'http_timeout', false);
});

test('no answer in time: perhaps carried out', async (t) => {
  const port = await serveTcp(t, (socket) => socket.resume());
  const error = await failing(t, clientFor(t), { url: `http://127.0.0.1:${port}/`, totalMs: longMs });
  is(t, error, 'http_timeout', true);
  t.like(error.details, { phase: 'total', ms: longMs });
});

test('an answer that drips past the limit: perhaps carried out', async (t) => {
  const port = await serveHttp(t, (_, answer) => {
    answer.writeHead(200, { 'content-length': '1000' });
    const drip = setInterval(() => answer.write('x'), 10);
    answer.on('close', () => clearInterval(drip));
  });
  const error = await failing(t, clientFor(t), { url: `http://127.0.0.1:${port}/`, totalMs: longMs });
  is(t, error, 'http_timeout', true);
});

test('a reset of a connection that was kept from an earlier call: perhaps carried out', async (t) => {
  const port = await serveHttp(t, (request, answer) => {
    if (request.url === '/first') answer.end('{}');
    else request.socket.resetAndDestroy();
  });
  const client = clientFor(t, { maxSockets: 1 });
  await client.request({ method: 'GET', url: `http://127.0.0.1:${port}/first` });
  is(t, await failing(t, client, { url: `http://127.0.0.1:${port}/second` }), 'http_reset', true);
});

test('a reset after the request: perhaps carried out', async (t) => {
  const port = await serveTcp(t, (socket) => socket.once('data', () => socket.resetAndDestroy()));
  const error = await failing(t, clientFor(t), { url: `http://127.0.0.1:${port}/` });
  is(t, error, 'http_reset', true);
});

for (const [how, bytes] of [
  ['with a length', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n[{"a":1},'],
  ['in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n[{"a"\r\n'],
  ['in the headers', 'HTTP/1.1 200 OK\r\ncontent-le'],
] as const)
  test(`half an answer ${how}: perhaps carried out`, async (t) => {
    const port = await serveTcp(t, (socket) => socket.once('data', () => socket.end(bytes)));
    const error = await failing(t, clientFor(t), { url: `http://127.0.0.1:${port}/` });
    is(t, error, 'http_reset', true);
  });

test('an answer that is no HTTP: perhaps carried out', async (t) => {
  const port = await serveTcp(t, (socket) => socket.once('data', () => socket.end('hello there\r\n\r\n')));
  is(t, await failing(t, clientFor(t), { url: `http://127.0.0.1:${port}/` }), 'http_reset', true);
});

test('an answer over the bound, announced or not, is not taken', async (t) => {
  const port = await serveHttp(t, (request, answer) => {
    const body = Buffer.alloc(200_000, 'x');
    if (request.url === '/announced') answer.setHeader('content-length', body.length);
    answer.end(body);
  });
  for (const path of ['announced', 'chunked']) {
    const error = await failing(t, clientFor(t), { url: `http://127.0.0.1:${port}/${path}`, maxBytes: 1_000 });
    is(t, error, 'http_body_too_large', true);
    t.regex(error.message, /1000 bytes/);
  }
});

test('an answer just inside the bound is taken', async (t) => {
  const port = await serveHttp(t, (_, answer) => answer.end('x'.repeat(1_000)));
  const answer = await clientFor(t).request({ method: 'GET', url: `http://127.0.0.1:${port}/`, maxBytes: 1_000 });
  t.is(answer.body.length, 1_000);
});

test('a call that waits for a free connection and runs out of time was not carried out', async (t) => {
  const port = await serveTcp(t, (socket) => socket.resume());
  const client = clientFor(t, { maxSockets: 1 });
  const url = `http://127.0.0.1:${port}/`;
  const first = failing(t, client, { url, totalMs: 2 * longMs });
  is(t, await failing(t, client, { url, totalMs: 60 }), 'http_timeout', false);
  is(t, await first, 'http_timeout', true);
});

test('a call that its caller gives up ends', async (t) => {
  const abort = new AbortController();
  const port = await serveTcp(t, (socket) => socket.once('data', () => abort.abort()));
  is(t, await failing(t, clientFor(t), { url: `http://127.0.0.1:${port}/`, signal: abort.signal }), 'http_reset', true);
});
