import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { bulk } from './test/fake-redis.ts';
import { until, harness } from './test/harness.ts';

test('on a server that hangs a call rejects at its deadline, and further ones at once and unsent', async (t) => {
  const { kv, server, clock, ready } = await harness(t);
  await ready();
  server.answer = () => null;
  const call = t.throwsAsync(kv.state.get('a'), { message: /no answer within 2000 ms/ });
  await until(() => server.received.length === 1);
  await clock.advance(1_999);
  t.true(kv.ready());
  await clock.advance(1);
  const error = await call;
  t.true(isRelayError(error, 'kv_unavailable') && error.ambiguous);
  t.false(kv.ready());
  await t.throwsAsync(kv.state.get('b'), { message: /no answer within 2000 ms/ });
  t.is(server.received.length, 1);
});

test('the connection of a server that hangs is replaced, and works as soon as the server does', async (t) => {
  const { kv, server, clock, ready, pass, readyAgain } = await harness(t);
  await ready();
  server.answer = () => null;
  const call = t.throwsAsync(kv.state.get('a'));
  await until(() => server.received.length === 1);
  await clock.advance(2_000);
  await call;
  await until(() => server.open() === 1);
  await pass(10_000);
  t.true(server.accepted() > 3);
  t.true(server.open() <= 4);
  server.answer = () => undefined;
  const from = clock.monotonic();
  await readyAgain();
  t.true(clock.monotonic() - from <= 5_000);
  t.is(await kv.state.get('a'), null);
});

test('a server that hangs is noticed without calls', async (t) => {
  const { kv, server, ready, pass } = await harness(t);
  await ready();
  server.answer = () => null;
  await pass(5_100);
  t.false(kv.ready());
});

test('half an answer is none, and its rest is not taken for the answer of another call', async (t) => {
  const { kv, server, clock, ready, readyAgain } = await harness(t);
  await ready();
  server.answer = ([name, key]) => (name === 'GET' && key === 'a' ? '$10\r\n01234' : undefined);
  const call = t.throwsAsync(kv.state.get('a'));
  await until(() => server.received.length === 1);
  await clock.advance(2_000);
  await call;
  server.push('56789\r\n');
  await readyAgain();
  server.answer = ([name, key]) => (name === 'GET' ? bulk(`of ${key}`) : undefined);
  t.deepEqual(await Promise.all([kv.state.get('b'), kv.state.get('c')]), ['of b', 'of c']);
});

test('an answer behind its deadline is not taken for the answer of another call', async (t) => {
  const { kv, server, clock, ready, readyAgain } = await harness(t);
  await ready();
  server.answer = ([name, key]) => (name === 'GET' && key === 'a' ? null : undefined);
  const late = t.throwsAsync(kv.state.get('a'));
  await until(() => server.received.length === 1);
  await clock.advance(2_000);
  await late;
  server.push(bulk('of a'));
  await readyAgain();
  server.answer = ([name, key]) => (name === 'GET' ? bulk(`of ${key}`) : undefined);
  t.is(await kv.state.get('b'), 'of b');
});

test('behind an answer that is none of the protocol the connection is replaced', async (t) => {
  const { kv, server, ready, readyAgain } = await harness(t);
  await ready();
  server.answer = ([name]) => (name === 'GET' ? 'nonsense\r\n' : undefined);
  await t.throwsAsync(Promise.race([kv.state.get('a'), until(() => !kv.ready()).then(() => kv.state.get('b'))]));
  server.answer = ([name, key]) => (name === 'GET' ? bulk(`of ${key}`) : undefined);
  await readyAgain();
  t.is(await kv.state.get('c'), 'of c');
});

test('an answer that nobody waits for replaces the connection', async (t) => {
  const { kv, server, ready } = await harness(t);
  await ready();
  server.push(bulk('for nobody'));
  await until(() => !kv.ready());
  t.pass();
});
