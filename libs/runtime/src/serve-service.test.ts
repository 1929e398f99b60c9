import test from 'ava';
import { baseApp, serve, serveService, systemClock } from './index.ts';
import { testContext } from './testing/index.ts';

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
