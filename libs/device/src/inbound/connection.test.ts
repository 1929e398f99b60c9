import test from 'ava';
import { serveHttp, serveTcp, unusedPort } from '@ranger-relay/http/testing';
import { failureIn, inboundFor, send } from './test/vendor.ts';

const talking = async (...args: Parameters<typeof serveTcp>): Promise<string> =>
  `http://127.0.0.1:${await serveTcp(...args)}`;

test('every call has a connection of its own, so that no closing one is met', async (t) => {
  const connections: unknown[] = [];
  const port = await serveHttp(t, ({ headers }, response) => {
    connections.push(headers.connection);
    response.end();
  });
  const inbound = inboundFor(t);
  for (const _ of [1, 2]) await send(inbound, `http://127.0.0.1:${port}`);
  t.deepEqual(connections, ['close', 'close']);
});

test('a refused connection was not carried out', async (t) => {
  const failure = failureIn(t, await send(inboundFor(t), `http://127.0.0.1:${await unusedPort()}`));
  t.like(failure, { kind: 'transient', status: null, code: null, body: '' });
  t.is(failure.error.code, 'vendor_unreachable');
});

test('a peer that does not speak TLS was not asked anything', async (t) => {
  const port = await serveHttp(t, (_, response) => response.end());
  t.is((await send(inboundFor(t), `https://127.0.0.1:${port}`)).kind, 'transient');
});

test('no answer in time is ambiguous', async (t) => {
  const apiUrl = await talking(t, (socket) => socket.resume());
  const failure = failureIn(t, await send(inboundFor(t, { timeoutMs: 1_500 }), apiUrl));
  t.is(failure.kind, 'ambiguous');
  t.is(failure.error.code, 'vendor_answer_lost');
  t.true(failure.error.ambiguous);
});

test('a reset after sending, and half an answer, are ambiguous', async (t) => {
  const reset = await talking(t, (socket) => socket.once('data', () => socket.resetAndDestroy()));
  const half = await talking(t, (socket) => socket.once('data', () => socket.end('HTTP/1.1 20')));
  for (const apiUrl of [reset, half]) t.is((await send(inboundFor(t), apiUrl)).kind, 'ambiguous');
});

test('an answer that began with 2xx, and whose body nobody read, is ambiguous', async (t) => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{"cou';
  const cut = await talking(t, (socket) => socket.once('data', () => socket.end(head)));
  const stalled = await talking(t, (socket) => socket.once('data', () => socket.write(head)));
  const port = await serveHttp(t, (_, response) => response.writeHead(202).end('x'.repeat(2_000_000)));
  const unpacked = 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 11\r\n\r\n{"count":1}';
  const encoded = await talking(t, (socket) => socket.once('data', () => socket.end(unpacked)));
  for (const apiUrl of [cut, stalled, `http://127.0.0.1:${port}`, encoded])
    t.is((await send(inboundFor(t, { timeoutMs: 1_500 }), apiUrl)).kind, 'ambiguous', apiUrl);
});
