import { setImmediate as turn } from 'node:timers/promises';
import { isRelayError } from '@ranger-relay/errors';
import test, { type ExecutionContext } from 'ava';
import { flakyKv } from './flaky-kv.ts';
import { temporaryKv } from './temporary-kv.ts';

const open = async (t: ExecutionContext) => {
  const { kv, close } = await temporaryKv();
  t.teardown(close);
  return { kv, flaky: flakyKv(kv) };
};

test('without a fault every call goes through and is remembered', async (t) => {
  const { kv, flaky } = await open(t);
  await flaky.state.set('a', 'one');
  t.is(await kv.state.get('a'), 'one');
  t.is(await flaky.state.get('a'), 'one');
  t.false(await flaky.state.setIfAbsent('a', 'two'));
  t.true(await flaky.state.compareAndSet('a', 'one', 'two'));
  t.deepEqual(await flaky.state.list(''), [{ key: 'a', value: 'two' }]);
  t.true(await flaky.state.compareAndDelete('a', 'two'));
  t.false(await flaky.config.delete('a'));
  t.deepEqual(flaky.calls.at(-1), { space: 'config', op: 'delete', key: 'a' });
  t.is(flaky.calls.length, 7);
  t.true(flaky.ready());
});

test('failing calls reject without reaching the store, until it is healed', async (t) => {
  const { kv, flaky } = await open(t);
  flaky.fail();
  t.false(flaky.ready());
  t.true(isRelayError(await t.throwsAsync(flaky.state.set('a', 'one')), 'kv_unavailable'));
  t.is(await kv.state.get('a'), null);
  flaky.heal();
  t.true(flaky.ready());
  await flaky.state.set('a', 'two');
  t.is(await kv.state.get('a'), 'two');
});

test('a fault can be kept to some calls', async (t) => {
  const { flaky } = await open(t);
  flaky.fail(({ op, key }) => op === 'set' && key === 'a');
  await t.throwsAsync(flaky.state.set('a', 'one'));
  await flaky.state.set('b', 'one');
  t.true(await flaky.state.setIfAbsent('a', 'two'));
});

test('with lost answers the store has what the caller believes failed', async (t) => {
  const { kv, flaky } = await open(t);
  flaky.loseAnswers();
  t.true(isRelayError(await t.throwsAsync(flaky.state.setIfAbsent('a', 'one')), 'kv_unavailable'));
  t.is(await kv.state.get('a'), 'one');
});

test('hanging calls go on when the store is healed', async (t) => {
  const { kv, flaky } = await open(t);
  flaky.hang();
  const call = flaky.state.set('a', 'one');
  t.is(await Promise.race([call, turn('waiting')]), 'waiting');
  t.is(await kv.state.get('a'), null);
  flaky.heal();
  await call;
  t.is(await kv.state.get('a'), 'one');
});

test('emptying takes the entries of both spaces away', async (t) => {
  const { flaky } = await open(t);
  await flaky.state.set('a', 'one');
  await flaky.config.set('b', 'two');
  await flaky.empty();
  t.deepEqual([await flaky.state.list(''), await flaky.config.list('')], [[], []]);
});
