import test from 'ava';
import { createLifecycle } from './index.ts';
import { recordingLogger, silentLogger } from './testing/index.ts';

test('what was built last is torn down first, one after the other', async (t) => {
  const lifecycle = createLifecycle(silentLogger());
  const order: string[] = [];
  for (const name of ['store', 'bus', 'server'])
    lifecycle.onStop(name, async () => {
      order.push(`${name} begins`);
      await Promise.resolve();
      order.push(`${name} ends`);
    });
  await lifecycle.stop();
  t.deepEqual(order, ['server begins', 'server ends', 'bus begins', 'bus ends', 'store begins', 'store ends']);
});

test('a step that fails is told by name, and the others still run', async (t) => {
  const { log, lines } = recordingLogger();
  const lifecycle = createLifecycle(log);
  const ran: string[] = [];
  lifecycle.onStop('store', () => void ran.push('store'));
  lifecycle.onStop('bus', () => Promise.reject(new Error('not now')));
  lifecycle.onStop('server', () => {
    throw new Error('broken');
  });
  await lifecycle.stop();
  t.deepEqual(ran, ['store']);
  t.deepEqual(
    lines.map(({ step, level }) => [level, step]),
    [
      ['error', 'server'],
      ['error', 'bus'],
    ],
  );
});

test('every step runs once, however often and early the end is asked for', async (t) => {
  const lifecycle = createLifecycle(silentLogger());
  let runs = 0;
  lifecycle.onStop('a', () => void (runs += 1));
  await Promise.all([lifecycle.stop(), lifecycle.stop()]);
  await lifecycle.stop();
  t.is(runs, 1);
});

test('what is still being built when the end comes is torn down too', async (t) => {
  const lifecycle = createLifecycle(silentLogger());
  const order: string[] = [];
  lifecycle.onStop('store', () => void order.push('store'));
  lifecycle.onStop('bus', () => lifecycle.onStop('late', () => void order.push('late')));
  await lifecycle.stop();
  lifecycle.onStop('later', () => void order.push('later'));
  await lifecycle.stop();
  t.deepEqual(order, ['late', 'store', 'later']);
});
