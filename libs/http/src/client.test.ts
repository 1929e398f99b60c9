import type { IncomingMessage } from 'node:http';
import { fc, testProp } from '@fast-check/ava';
import { type ErrorCode, isRelayError, RelayError } from '@ranger-relay/errors';
import { createMetrics, metricList, systemClock } from '@ranger-relay/runtime';
import test, { type ExecutionContext } from 'ava';
import { targetOf } from './client.ts';
import type { HttpClient, HttpRequest } from './port.ts';
import { clientFor, unusedPort, serveHttp, serveTcp } from './testing/loopback.ts';

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
  const error = await failing(t, clientFor(t), { url: `http://127.0.0.1:${await unusedPort()}/` });
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

test('a target is method, host and path', (t) => {
  t.is(targetOf('GET', new URL('https://u:p@host.example:8443/a/b?token=x#y')), 'GET host.example:8443/a/b');
  t.is(targetOf('POST', null), 'POST (unreadable address)');
});

test('a long path is cut', (t) => {
  const target = targetOf('GET', new URL(`https://host.example/${'x'.repeat(5_000)}`));
  t.true(target.length < 210);
  t.true(target.endsWith('…'));
});

testProp('user, password and query are never in it', [fc.webUrl()], (t, base) => {
  const url = new URL(base);
  url.username = 'c4n4ry-user';
  url.password = 'c4n4ry-password';
  url.search = '?k=c4n4ry-query';
  t.false(targetOf('GET', url).includes('c4n4ry'));
});

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
};

const echo = async (request: IncomingMessage): Promise<string> =>
  JSON.stringify({ method: request.method, headers: request.headers, url: request.url, body: await bodyOf(request) });

interface Echo {
  method: string;
  url: string;
  body: string;
  headers: Record<string, string>;
}

test('JSON, form and raw bodies arrive with their type and length', async (t) => {
  const port = await serveHttp(t, (request, answer) => void echo(request).then((text) => answer.end(text)));
  const client = clientFor(t);
  const url = `http://127.0.0.1:${port}/a?b=c`;
  const json = (await client.request({ method: 'POST', url, json: { ä: [1, null] } })).json() as Echo;
  t.is(json.body, '{"ä":[1,null]}');
  t.is(json.headers['content-type'], 'application/json');
  t.is(json.headers['content-length'], '15');
  t.is(json.url, '/a?b=c');
  const form = (await client.request({ method: 'POST', url, form: { scope: 'a b', x: '&=' } })).json() as Echo;
  t.is(form.body, 'scope=a+b&x=%26%3D');
  t.is(form.headers['content-type'], 'application/x-www-form-urlencoded');
  const raw = (await client.request({ method: 'PATCH', url, body: new Uint8Array([104, 105]) })).json() as Echo;
  t.is(raw.body, 'hi');
  t.is(raw.method, 'PATCH');
});

test('a call without a body has none, and names who calls', async (t) => {
  const port = await serveHttp(t, (request, answer) => void echo(request).then((text) => answer.end(text)));
  const client = clientFor(t);
  const url = `http://127.0.0.1:${port}/`;
  const get = (await client.request({ method: 'GET', url, headers: { traceparent: '00-ab-cd-01' } })).json() as Echo;
  t.like(get.headers, { 'user-agent': 'ranger-relay/test', accept: 'application/json', traceparent: '00-ab-cd-01' });
  t.is(get.headers['content-length'], undefined);
  t.is(get.headers['accept-encoding'], undefined);
  const post = (await client.request({ method: 'POST', url })).json() as Echo;
  t.is(post.body, '');
});

test('every status is an answer, and is not retried', async (t) => {
  let calls = 0;
  const port = await serveHttp(t, (request, answer) => {
    calls += 1;
    answer.writeHead(Number(request.url?.slice(1)), { 'set-cookie': ['a=1', 'b=2'] }).end('{"no":1}');
  });
  const client = clientFor(t);
  const statuses = [200, 201, 400, 401, 404, 408, 429, 500, 502, 503];
  for (const status of statuses) {
    const answer = await client.request({ method: 'GET', url: `http://127.0.0.1:${port}/${status}` });
    t.is(answer.status, status);
    t.deepEqual(answer.json(), { no: 1 });
    t.is(answer.headers['set-cookie'], 'a=1, b=2');
  }
  t.is(calls, statuses.length);
});

test('a redirect is an answer and is not followed', async (t) => {
  let other = 0;
  const elsewhere = await serveHttp(t, (_, answer) => {
    other += 1;
    answer.end();
  });
  const port = await serveHttp(t, (_, answer) =>
    answer.writeHead(302, { location: `http://127.0.0.1:${elsewhere}/` }).end(),
  );
  const answer = await clientFor(t).request({ method: 'GET', url: `http://127.0.0.1:${port}/` });
  t.is(answer.status, 302);
  t.is(other, 0);
});

test('connections are kept, and no more than allowed', async (t) => {
  const sockets = new Set<unknown>();
  const port = await serveHttp(t, (request, answer) => {
    sockets.add(request.socket);
    setImmediate(() => answer.end('{}'));
  });
  const client = clientFor(t, { maxSockets: 3 });
  const round = () =>
    Promise.all(Array.from({ length: 12 }, () => client.request({ method: 'GET', url: `http://127.0.0.1:${port}/` })));
  await round();
  await round();
  t.is(sockets.size, 3);
});

test('a half or wrong body is unreadable, and says only how long it is', async (t) => {
  const port = await serveHttp(t, (request, answer) =>
    answer.end(request.url === '/empty' ? '' : Buffer.from([0x7b, 0xff, 0x7d])),
  );
  for (const path of ['empty', 'bytes']) {
    const answer = await clientFor(t).request({ method: 'GET', url: `http://127.0.0.1:${port}/${path}` });
    const error = t.throws(() => answer.json());
    t.true(isRelayError(error, 'http_body_unreadable'));
  }
});

test('an answer without an end but the connection’s is whole when it closes', async (t) => {
  const port = await serveTcp(t, (socket) => socket.once('data', () => socket.end('HTTP/1.0 200 OK\r\n\r\n[1]')));
  const answer = await clientFor(t).request({ method: 'GET', url: `http://127.0.0.1:${port}/` });
  t.deepEqual(answer.json(), [1]);
});

test('Retry-After comes with the answer', async (t) => {
  const port = await serveHttp(t, (_, answer) => answer.writeHead(429, { 'retry-after': '7' }).end());
  const answer = await clientFor(t).request({ method: 'GET', url: `http://127.0.0.1:${port}/` });
  t.is(answer.retryAfterMs, 7_000);
});

test('calls are counted by upstream and outcome', async (t) => {
  const metrics = createMetrics(metricList);
  const port = await serveHttp(t, (_, answer) => answer.writeHead(404).end());
  const client = clientFor(t, { metrics, upstream: 'vendor', clock: systemClock });
  await client.request({ method: 'GET', url: `http://127.0.0.1:${port}/` });
  await t.throwsAsync(client.request({ method: 'GET', url: `http://127.0.0.1:${await unusedPort()}/` }));
  const text = await metrics.render();
  t.regex(text, /relay_http_calls_total\{upstream="vendor",outcome="4xx"\} 1/);
  t.regex(text, /relay_http_calls_total\{upstream="vendor",outcome="http_connect"\} 1/);
});

test('refused credentials and too many calls have outcomes of their own', async (t) => {
  const metrics = createMetrics(metricList);
  const port = await serveHttp(t, (request, answer) => answer.writeHead(Number(request.url?.slice(1))).end());
  const client = clientFor(t, { metrics, upstream: 'vendor' });
  for (const status of [401, 403, 429, 422, 503])
    await client.request({ method: 'GET', url: `http://127.0.0.1:${port}/${status}` });
  const text = await metrics.render();
  for (const outcome of ['401', '403', '429', '4xx', '5xx'])
    t.true(text.includes(`relay_http_calls_total{upstream="vendor",outcome="${outcome}"} 1\n`), outcome);
});
