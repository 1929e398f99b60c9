import { isRelayError, type RelayError } from '@ranger-relay/errors';
import test, { type ExecutionContext } from 'ava';
import { bulk } from './test/fake-redis.ts';
import { until, harness } from './test/harness.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const refusal = async (t: ExecutionContext, call: Promise<unknown>): Promise<RelayError> => {
  const error = await t.throwsAsync(call);
  if (!isRelayError(error, 'kv_unavailable')) throw error;
  return error;
};

test('calls made right after opening wait for the connection and are answered', async (t) => {
  const { kv } = await harness(t);
  t.false(kv.ready());
  const [, value] = await Promise.all([kv.state.set('a', 'one'), kv.state.get('a')]);
  t.is(value, 'one');
  t.true(kv.ready());
});

test('calls of one turn leave in one piece and count as one round trip', async (t) => {
  const { kv, server, ready, roundTrips } = await harness(t);
  await ready();
  await Promise.all(numbers(100).map((n) => kv.state.set(`k.${n}`, `${n}`)));
  t.is(server.received.length, 100);
  t.is(server.pieces(), 1);
  t.is(await roundTrips('state'), 1);
  await kv.state.get('k.1');
  t.is(await roundTrips('state'), 2);
});

test('a thousand calls that wait need one timer', async (t) => {
  const { kv, server, clock, ready } = await harness(t);
  await ready();
  server.answer = () => null;
  const before = clock.pending();
  const calls = Promise.allSettled(numbers(1_000).map((n) => kv.state.get(`${n}`)));
  t.is(clock.pending() - before, 1);
  await until(() => server.received.length === 1_000);
  await clock.advance(2_000);
  await calls;
});

test('more calls than may wait are refused, and the store stays ready', async (t) => {
  const { kv, ready } = await harness(t, { maxWaiting: 10 });
  await ready();
  const outcomes = await Promise.allSettled(numbers(12).map((n) => kv.state.set(`${n}`, '')));
  t.deepEqual(
    outcomes.map(({ status }) => status === 'fulfilled'),
    outcomes.map((_, index) => index < 10),
  );
  t.true(kv.ready());
});

test('calls without a connection are refused at once, with the reason', async (t) => {
  const { kv, server, ready } = await harness(t);
  await ready();
  server.breakAll();
  await until(() => !kv.ready());
  const error = await refusal(t, kv.state.get('a'));
  t.regex(error.message, /does not answer: .*(closed|ECONN)/);
  t.false(error.ambiguous);
});

test('a call whose connection breaks is rejected as ambiguous and never sent again', async (t) => {
  const { kv, server, ready, readyAgain } = await harness(t);
  await ready();
  server.answer = ([name]) => (name === 'SET' ? null : undefined);
  const call = refusal(t, kv.state.setIfAbsent('a', 'one'));
  await until(() => server.received.length === 1);
  server.breakAll();
  t.true((await call).ambiguous);
  server.answer = () => undefined;
  await readyAgain();
  t.is(await kv.state.get('a'), null);
  t.is(server.received.length, 2);
});

test('an outage is said once when it begins and once when it ends', async (t) => {
  const { kv, server, ready, pass, readyAgain, messages } = await harness(t);
  await ready();
  server.answer = () => null;
  server.breakAll();
  await until(() => !kv.ready());
  for (const n of numbers(5)) await refusal(t, kv.state.get(`${n}`));
  await pass(8_000);
  t.deepEqual(messages('warn', 'error'), [
    'the key-value store does not answer; events are sent without deduplication',
  ]);
  server.answer = () => undefined;
  await readyAgain();
  t.deepEqual(messages('info'), ['the key-value store works again']);
});

test('a script that the server has forgotten is sent again with its text', async (t) => {
  const { kv, server, ready } = await harness(t);
  await ready();
  server.answer = ([name]) => {
    if (name === 'EVALSHA') return '-NOSCRIPT No matching script.\r\n';
    return name === 'EVAL' ? ':1\r\n' : undefined;
  };
  t.true(await kv.state.compareAndSet('a', 'x', 'y'));
  t.true(await kv.state.compareAndDelete('a', 'y'));
  t.deepEqual(
    server.received.map(([name]) => name),
    ['EVALSHA', 'EVAL', 'EVALSHA', 'EVAL'],
  );
});

test('keys and values are well formed before they leave', async (t) => {
  const { kv, server, ready } = await harness(t);
  await ready();
  await kv.state.set('a\ud800', 'b\udc00');
  t.deepEqual(server.received[0], ['SET', 'a\ufffd', 'b\ufffd']);
});

test('a TTL is sent in whole milliseconds, at least one', async (t) => {
  const { kv, server, ready } = await harness(t);
  await ready();
  for (const ttlMs of [0, 0.2, 1_500.5]) await kv.state.set('a', '', { ttlMs });
  t.deepEqual(
    server.received.map((command) => command.at(-1)),
    ['1', '1', '1501'],
  );
});

test('a list leaves out keys that vanish and keeps one of those that come twice', async (t) => {
  const { kv, server, ready } = await harness(t);
  await ready();
  server.answer = ([name, cursor]) => {
    if (name === 'SCAN') return `*2\r\n${bulk(cursor === '0' ? '7' : '0')}*2\r\n${bulk('a.2')}${bulk('a.1')}`;
    return name === 'MGET' ? `*2\r\n${bulk('one')}_\r\n` : undefined;
  };
  t.deepEqual(await kv.state.list('a.'), [{ key: 'a.1', value: 'one' }]);
  t.deepEqual(server.received.at(-1), ['MGET', 'a.1', 'a.2']);
});

test('closing waits for answers, at most the deadline, and is the same however often it is asked', async (t) => {
  const { kv, server, clock, ready } = await harness(t);
  await ready();
  server.answer = ([, key]) => (key === 'hangs' ? null : undefined);
  const outcomes = Promise.allSettled([kv.state.set('a', 'one'), kv.state.get('hangs')]);
  const closing = kv.close();
  t.is(kv.close(), closing);
  t.false(kv.ready());
  await refusal(t, kv.state.get('a'));
  await until(() => server.received.length === 2);
  await clock.advance(2_000);
  await closing;
  t.deepEqual(
    (await outcomes).map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
  await until(() => server.open() === 0);
  t.is(clock.pending(), 0);
});

test('a store that never connected closes and leaves no timer', async (t) => {
  const { kv, clock } = await harness(t, { before: (server) => (server.answer = () => null) });
  const closing = kv.close();
  await clock.advance(2_000);
  await closing;
  t.is(clock.pending(), 0);
});
