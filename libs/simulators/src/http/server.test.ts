import { connect } from 'node:net';
import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import { json, type SimulatedResponse } from './answer.ts';
import { createClient } from './client.ts';
import { startServer, type Handle, type SimServer } from './server.ts';

const start = async (t: ExecutionContext, handle: Handle, maxBodyBytes = 1_000) => {
  const server = await startServer({ host: '127.0.0.1', port: 0, handle, maxBodyBytes });
  const client = createClient();
  t.teardown(async () => {
    client.close();
    await server.close();
  });
  const post = (body: string, more: object = {}) =>
    client.send({ method: 'POST', url: `${server.url}/path?a=1&a=2`, body, ...more });
  return { server, client, post };
};

/** An answer with what became of it. */
const tracked = (
  answer: SimulatedResponse,
): { answer: SimulatedResponse; ended: Promise<boolean>; times: () => number } => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let times = 0;
  const onEnd = (sent: boolean): void => {
    times += 1;
    resolve(sent);
  };
  return { answer: { ...answer, onEnd }, ended: promise, times: () => times };
};

/** Opens a raw connection and writes the beginning of a request. */
const openRaw = async (server: SimServer, text: string) => {
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
  return socket;
};

test('a handler sees method, path, query, headers and the whole body', async (t) => {
  const { post } = await start(t, async (request) =>
    json(200, {
      method: request.method,
      path: request.path,
      query: request.query.getAll('a'),
      mark: request.headers['x-mark'],
      body: (await request.body()).toString(),
    }),
  );
  const reply = await post('hällo', { headers: { 'X-Mark': 'yes' } });
  t.deepEqual(JSON.parse(reply.body), { method: 'POST', path: '/path', query: ['1', '2'], mark: 'yes', body: 'hällo' });
});

test('a body without a length is read too, up to the limit', async (t) => {
  const seen = Promise.withResolvers<string>();
  const { server } = await start(t, async (request) => {
    seen.resolve((await request.body()).toString());
    return { status: 204 };
  });
  const socket = await openRaw(
    server,
    'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
  );
  t.is(await seen.promise, 'abcde');
  socket.destroy();
});

test('a body over the limit is 413', async (t) => {
  const { post } = await start(t, async (request) => json(200, (await request.body()).length));
  t.is((await post('x'.repeat(1_000))).status, 200);
  t.is((await post('x'.repeat(1_001))).status, 413);
});

test('a handler that fails is 500, and the server goes on', async (t) => {
  let calls = 0;
  const { post } = await start(t, () => {
    calls += 1;
    return calls === 1 ? Promise.reject(new Error('broken')) : Promise.resolve({ status: 200 });
  });
  t.is((await post('')).status, 500);
  t.is((await post('')).status, 200);
});

test('a connection that ends inside the body ends the handler’s reading', async (t) => {
  const failed = Promise.withResolvers<unknown>();
  const { server } = await start(t, async (request) => {
    await request.body().catch(failed.resolve);
    return { status: 200 };
  });
  const socket = await openRaw(server, 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf');
  socket.destroy();
  t.true((await failed.promise) instanceof Error);
});

test('an answer that left says so, once', async (t) => {
  const { answer, ended, times } = tracked(json(200, {}));
  const { post } = await start(t, () => Promise.resolve(answer));
  await post('');
  t.true(await ended);
  t.is(times(), 1);
});

for (const delivery of ['reset', 'half'] as const)
  test(`an answer that ends in "${delivery}" reaches nobody and says so, once`, async (t) => {
    const { answer, ended, times } = tracked({ ...json(200, { long: 'x'.repeat(100) }), delivery });
    const { post } = await start(t, () => Promise.resolve(answer));
    const reply = await post('');
    t.is(reply.status, null);
    t.is(reply.body, '');
    t.false(await ended);
    t.is(times(), 1);
  });

test('an answer that hangs ends only with the connection', async (t) => {
  const { answer, ended, times } = tracked({ status: 200, delivery: 'hang' });
  const called = Promise.withResolvers<void>();
  const { server, post } = await start(t, () => {
    called.resolve();
    return Promise.resolve(answer);
  });
  const asked = post('');
  await called.promise;
  t.is(times(), 0);
  await server.goDown();
  t.is((await asked).status, null);
  t.false(await ended);
});

test('an answer to someone who has gone says that it did not leave', async (t) => {
  const { answer, ended } = tracked(json(200, {}));
  const gone = Promise.withResolvers<void>();
  const called = Promise.withResolvers<void>();
  const { server } = await start(t, async () => {
    called.resolve();
    await gone.promise;
    return answer;
  });
  const socket = await openRaw(server, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await called.promise;
  await server.goDown();
  socket.destroy();
  gone.resolve();
  t.false(await ended);
});

test('going down twice and coming up twice is harmless; the port stays', async (t) => {
  const { server, post } = await start(t, () => Promise.resolve({ status: 200 }));
  const { port } = server;
  await Promise.all([server.goDown(), server.goDown()]);
  t.is((await post('')).error, 'ECONNREFUSED');
  await server.comeUp();
  await server.comeUp();
  t.is(server.port, port);
  t.is((await post('')).status, 200);
});

test('a port that is taken is said', async (t) => {
  const { server } = await start(t, () => Promise.resolve({ status: 200 }));
  const options = { host: '127.0.0.1', port: server.port, handle: () => Promise.resolve({ status: 200 }) };
  await t.throwsAsync(startServer(options), { code: 'EADDRINUSE' });
});

test('a client follows no redirect and never rejects', async (t) => {
  let calls = 0;
  const { post, client } = await start(t, () => {
    calls += 1;
    return Promise.resolve({ status: 307, headers: { location: '/elsewhere' } });
  });
  t.is((await post('')).status, 307);
  t.is(calls, 1);
  t.like(await client.send({ method: 'GET', url: 'http://127.0.0.1:1/' }), { status: null, error: 'ECONNREFUSED' });
});
