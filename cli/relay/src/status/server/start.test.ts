import { request } from 'node:http';
import { createLifecycle } from '@ranger-relay/runtime';
import { silentLogger, testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { overview } from '../test/world.ts';
import { startStatusServer } from './start.ts';

const world = async (t: ExecutionContext, port = 0) => {
  const lifecycle = createLifecycle(silentLogger());
  t.teardown(() => lifecycle.stop());
  const context = testContext({ lifecycle });
  const serving = await startStatusServer({ context, port, collect: async () => overview(), recentActivity: () => [] });
  return { serving, lifecycle };
};

const statusUnder = (port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/status.json', headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });

test('it answers on this machine, and a rebound name is refused on a real connection', async (t) => {
  const { serving } = await world(t);
  t.is(await statusUnder(serving.port, `127.0.0.1:${serving.port}`), 200);
  t.is(await statusUnder(serving.port, 'rebound.example'), 403);
});

test('it listens on this machine alone', async (t) => {
  const { serving } = await world(t);
  t.like(serving.server.address(), { address: '127.0.0.1' });
});

test('a port that is taken is said with its variable', async (t) => {
  const { serving } = await world(t);
  await t.throwsAsync(world(t, serving.port), {
    message: /^STATUS_PORT is \d+, on which 127\.0\.0\.1 cannot be listened to/,
  });
});

test('the end of the process ends it', async (t) => {
  const { serving, lifecycle } = await world(t);
  await lifecycle.stop();
  await t.throwsAsync(statusUnder(serving.port, 'localhost'));
});
