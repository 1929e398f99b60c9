import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { until, harness } from './test/harness.ts';

const invalidate = (key: string): string => `>2\r\n$10\r\ninvalidate\r\n*1\r\n$${key.length}\r\n${key}\r\n`;

test('a value that was read is read again without the server, and so is its absence', async (t) => {
  const { kv, server, roundTrips } = await harness(t);
  await kv.config.set('a', 'one');
  for (let n = 0; n < 5; n++) t.is(await kv.config.get('a'), 'one');
  for (let n = 0; n < 5; n++) t.is(await kv.config.get('missing'), null);
  t.is(await roundTrips('config'), 3);
  t.is(server.received.filter(([name]) => name === 'GET').length, 2);
});

test('what the server says has changed is asked for again', async (t) => {
  const { kv, server } = await harness(t);
  await kv.config.get('a');
  server.answer = ([name]) => (name === 'GET' ? '$3\r\nnew\r\n' : undefined);
  server.push(invalidate('a'));
  for (let value = await kv.config.get('a'); value !== 'new'; value = await kv.config.get('a')) await turn();
  t.pass();
});

test('a read behind a write of the same turn sees it', async (t) => {
  const { kv } = await harness(t);
  await kv.config.set('a', 'one');
  await kv.config.get('a');
  const [, behind] = await Promise.all([kv.config.set('a', 'two'), kv.config.get('a')]);
  t.is(behind, 'two');
  t.is(await kv.config.get('a'), 'two');
});

test('values of the state space are always asked for', async (t) => {
  const { kv, server } = await harness(t);
  for (let n = 0; n < 3; n++) await kv.state.get('a');
  t.is(server.received.length, 3);
});

test('with the connection goes what was read on it', async (t) => {
  const { kv, server, ready, readyAgain } = await harness(t);
  await ready();
  await kv.config.get('a');
  server.breakAll();
  await until(() => !kv.ready());
  await t.throwsAsync(kv.config.get('a'));
  await readyAgain();
  await kv.config.get('a');
  t.is(server.received.filter(([name]) => name === 'GET').length, 2);
});
