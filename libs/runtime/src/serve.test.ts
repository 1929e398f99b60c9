import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { isRelayError } from '@ranger-relay/errors';
import test, { type ExecutionContext } from 'ava';
import type { Hono } from 'hono';
import { serve } from './serve.ts';
import { baseApp, commonEnv, serveService, type Serving, systemClock } from './index.ts';
import { manualClock, testContext } from './testing/index.ts';

const service = () => {
  const context = testContext({ clock: systemClock });
  const app = baseApp(context);
  app.get('/work', (c) => c.text('worked'));
  return { context, app };
};

const status = async (port: number, path: string): Promise<number> =>
  (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })).status;

const freePort = async (): Promise<number> => {
  const { port, close } = await serve(service().app, {
    host: '127.0.0.1',
    port: 0,
    portVariable: 'PORT',
    clock: systemClock,
  });
  await close();
  return port;
};

test('health lies on the service’s own port when there is no second one', async (t) => {
  const { context, app } = service();
  const port = await serveService(context, app, { HOST: '127.0.0.1', PORT: 0, HEALTH_PORT: undefined });
  for (const path of ['/work', '/livez', '/readyz', '/metrics']) t.is(await status(port, path), 200, path);
  await context.lifecycle.stop();
});

test('with a second port health lies there alone, and answers until the work is done', async (t) => {
  const { context, app } = service();
  const healthPort = await freePort();
  const port = await serveService(context, app, { HOST: '127.0.0.1', PORT: 0, HEALTH_PORT: healthPort });
  t.is(await status(port, '/livez'), 404);
  t.is(await status(healthPort, '/work'), 404);
  for (const path of ['/livez', '/readyz', '/metrics']) t.is(await status(healthPort, path), 200, path);
  let during = 0;
  context.lifecycle.onStop('work', async () => {
    during = await status(healthPort, '/livez');
  });
  await context.lifecycle.stop();
  t.is(during, 200);
  await t.throwsAsync(status(healthPort, '/livez'));
});

test('at the end the process is not ready before it stops listening', async (t) => {
  const { context, app } = service();
  const port = await serveService(context, app, { HOST: '127.0.0.1', PORT: 0, HEALTH_PORT: undefined });
  const answers: number[] = [];
  const { drain } = context.health;
  context.health.drain = () => {
    drain();
    answers.push(context.health.ready().ok ? 200 : 503);
  };
  await context.lifecycle.stop();
  t.deepEqual(answers, [503]);
  await t.throwsAsync(status(port, '/work'));
});

test('a port that is taken is named by its variable', async (t) => {
  const { context, app } = service();
  const port = await serveService(context, app, { HOST: '127.0.0.1', PORT: 0, HEALTH_PORT: undefined });
  const other = service();
  await t.throwsAsync(
    serveService(other.context, other.app, { HOST: '127.0.0.1', PORT: port, HEALTH_PORT: undefined }, 'FORWARDER_PORT'),
    { message: new RegExp(`^FORWARDER_PORT is ${port}, `) },
  );
  await t.throwsAsync(serveService(other.context, other.app, { HOST: '127.0.0.1', PORT: 0, HEALTH_PORT: port }), {
    message: /^HEALTH_PORT is /,
  });
  await Promise.all([context.lifecycle.stop(), other.context.lifecycle.stop()]);
});

test('the metrics name the component', async (t) => {
  const { context, app } = service();
  await serveService(context, app, { HOST: '127.0.0.1', PORT: 0, HEALTH_PORT: undefined });
  t.regex(await context.metrics.render(), /^relay_component_info\{component="test"\} 1$/m);
  await context.lifecycle.stop();
});

test('a service listens by the means of its context, also for its health', async (t) => {
  const events: string[] = [];
  const context = testContext({
    async serve(_app, { port, portVariable }) {
      events.push(portVariable);
      return { port, close: async () => void events.push(`${portVariable} closed`) };
    },
  });
  t.is(await serveService(context, baseApp(context), { HOST: '::', PORT: 8080, HEALTH_PORT: 8081 }), 8080);
  await context.lifecycle.stop();
  t.deepEqual(events, ['HEALTH_PORT', 'PORT', 'PORT closed', 'HEALTH_PORT closed']);
});

const local = { host: '127.0.0.1', port: 0, portVariable: 'PORT', clock: systemClock };

const serving = async (t: ExecutionContext, app: Hono, more: object = {}): Promise<Serving> => {
  const started = await serve(app, { ...local, ...more });
  t.teardown(() => {
    started.server.closeAllConnections();
    started.server.close();
  });
  return started;
};

/** An app with a path that answers when told to. */
const slowApp = () => {
  const entered = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const app = baseApp(testContext());
  app.get('/slow', async (c) => {
    entered.resolve();
    await release.promise;
    return c.text('done');
  });
  app.get('/fast', (c) => c.text('fast'));
  return { app, entered: entered.promise, release: () => release.resolve() };
};

const get = (port: number, path: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const call: ClientRequest = request({ host: local.host, port, path }, resolve);
    call.once('error', reject);
    call.end();
  });

const open = async (t: ExecutionContext, port: number): Promise<Socket> => {
  const socket = connect(port, local.host);
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
};

const nextTurn = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

test('the default address is reached over IPv4, and over IPv6 where the machine has it', async (t) => {
  const { port } = await serving(t, slowApp().app, { host: commonEnv.HOST.default });
  const loopbacks = networkInterfaces()['lo']?.map(({ address }) => address) ?? [];
  for (const host of ['127.0.0.1', ...loopbacks.filter((address) => address === '::1')]) {
    const answer = await fetch(`http://${host.includes(':') ? `[${host}]` : host}:${port}/fast`);
    t.is(await answer.text(), 'fast', host);
  }
});

test('answers on the port that the system chose', async (t) => {
  const { port } = await serving(t, slowApp().app);
  t.true(port > 0);
  t.is(await text(await get(port, '/fast')), 'fast');
});

test('a port that is taken is one sentence with the variable, the port and the reason', async (t) => {
  const { app } = slowApp();
  const { port } = await serving(t, app);
  const error = await t.throwsAsync(serve(app, { ...local, port, portVariable: 'INGESTER_PORT' }));
  t.true(isRelayError(error, 'config_invalid'));
  t.is(error?.message, `INGESTER_PORT is ${port}, and listening on 127.0.0.1 failed (EADDRINUSE)`);
});

test('once clients should leave, an answer on a kept connection says that it was the last', async (t) => {
  let leaving = false;
  const { port } = await serving(t, slowApp().app, { leaving: () => leaving });
  const socket = await open(t, port);
  const ask = async (): Promise<string> => {
    socket.write('GET /fast HTTP/1.1\r\nHost: a\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString();
  };
  t.notRegex(await ask(), /^connection: close/im);
  leaving = true;
  const last = await ask();
  t.regex(last, /^HTTP\/1\.1 200 /);
  t.regex(last, /^connection: close/im);
  await once(socket, 'close');
});

test('closing takes no new connection, but finishes what is under way', async (t) => {
  const { app, entered, release } = slowApp();
  const { port, server, close } = await serving(t, app);
  const answer = get(port, '/slow');
  await entered;
  const closed = close();
  while (server.listening) await nextTurn();
  await t.throwsAsync(get(port, '/fast'), { code: 'ECONNREFUSED' });
  release();
  t.is(await text(await answer), 'done');
  await t.notThrowsAsync(closed);
});

test('what has come in before the closing is answered, on a kept connection and on one that nobody has accepted yet', async (t) => {
  const { port, close } = await serving(t, slowApp().app);
  const kept = await open(t, port);
  const ask = 'GET /fast HTTP/1.1\r\nHost: a\r\n\r\n';
  kept.write(ask);
  await once(kept, 'data');
  const fresh = await open(t, port);
  const waiting = connect(port, local.host);
  const answers = Promise.all([kept, fresh, waiting].map((socket) => text(socket)));
  for (const socket of [kept, fresh, waiting]) socket.write(ask);
  await new Promise((resolve) => process.nextTick(resolve));
  // Busy with something else, the process has read and accepted nothing of it.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  await close();
  for (const answer of await answers) t.regex(answer, /^HTTP\/1\.1 200 /);
});

test('closing does not wait for connections on which nothing is asked', async (t) => {
  const { port, close } = await serving(t, slowApp().app);
  const socket = await open(t, port);
  socket.write('GET /fast HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'data');
  const ended = once(socket, 'close');
  await close();
  await ended;
  t.pass();
});

test('a request that does not finish is cut at the deadline', async (t) => {
  const { app, entered } = slowApp();
  const clock = manualClock();
  const { port, close } = await serving(t, app, { clock });
  const answer = get(port, '/slow');
  const failed = t.throwsAsync(answer, { code: 'ECONNRESET' });
  await entered;
  const closed = close(5_000);
  await clock.advance(4_900);
  t.true(clock.pending() > 0);
  await clock.advance(200);
  await Promise.all([closed, failed]);
  await clock.advance(100);
  t.is(clock.pending(), 0);
});

test('a request that comes too slowly is answered 408 and the connection closed', async (t) => {
  const app = baseApp(testContext());
  app.post('/body', async (c) => c.text(await c.req.text()));
  const { port } = await serving(t, app, { requestTimeoutMs: 300 });
  const socket = await open(t, port);
  socket.write('POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf');
  t.regex(await text(socket), /^HTTP\/1\.1 408 /);
});

test('headers that never end are answered 408 too', async (t) => {
  const { port } = await serving(t, slowApp().app, { requestTimeoutMs: 300 });
  const socket = await open(t, port);
  socket.write('GET /fast HTTP/1.1\r\nHost: a\r\nX-Slow: ');
  t.regex(await text(socket), /^HTTP\/1\.1 408 /);
});

test('what is no HTTP is answered 400 and stops nothing', async (t) => {
  const { port } = await serving(t, slowApp().app);
  const socket = await open(t, port);
  socket.write('\u0000\u0001\u0002 nonsense\r\n\r\n');
  t.regex(await text(socket), /^HTTP\/1\.1 400 /);
  t.is(await text(await get(port, '/fast')), 'fast');
});
