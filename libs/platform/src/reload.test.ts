import { httpAnswer, broken } from '@ranger-relay/http/testing';
import test from 'ava';
import { cacheHarness } from './test/cache-harness.ts';
import { parkId, wholeIntegration } from './test/platform-answers.ts';

const auth = (data: object) => ({ id: 'c1', integration: parkId, action: { type: 'auth', value: 'auth' }, data });

test('what was saved within the hour is there when it is asked for anew, for every reader of the store', async (t) => {
  const harness = cacheHarness();
  await harness.integrations.actionConfig(parkId, 'auth');
  harness.platform.answer = () => httpAnswer(200, wholeIntegration({ configurations: [auth({ username: 'new' })] }));
  t.deepEqual(await harness.integrations.actionConfig(parkId, 'auth'), { username: 'u' });
  t.true(await harness.integrations.reload(parkId));
  t.deepEqual(await harness.integrations.actionConfig(parkId, 'auth'), { username: 'new' });
  t.is(harness.calls(), 2);
  await harness.clock.advance(0);
  t.regex(harness.kv.config.entries.get(`integrationconfig.${parkId}.auth`)?.value ?? '', /"new"/);
});

test('a configuration that was removed is absent', async (t) => {
  const harness = cacheHarness();
  await harness.integrations.actionConfig(parkId, 'auth');
  harness.platform.answer = () => httpAnswer(200, wholeIntegration({ configurations: [] }));
  t.true(await harness.integrations.reload(parkId));
  t.is(await harness.integrations.actionConfig(parkId, 'auth'), null);
});

test('while the platform is away it says so within 3 s, and what is known serves on', async (t) => {
  const harness = cacheHarness();
  await harness.integrations.actionConfig(parkId, 'auth');
  harness.platform.answer = () => broken('http_connect');
  const began = harness.clock.monotonic();
  const reloading = harness.integrations.reload(parkId);
  await harness.clock.advance(3_001);
  t.false(await reloading);
  t.true(harness.clock.monotonic() - began <= 3_001);
  t.deepEqual(await harness.integrations.actionConfig(parkId, 'auth'), { username: 'u' });
});

test('whoever can do with an answer of a moment ago gets that, whatever it was, and the platform is not asked', async (t) => {
  const harness = cacheHarness();
  t.true(await harness.integrations.reload(parkId, 10_000));
  harness.platform.answer = () => broken('http_connect');
  t.true(await harness.integrations.reload(parkId, 10_000));
  t.is(harness.calls(), 1);
  await harness.clock.advance(10_000);
  const reloading = harness.integrations.reload(parkId, 10_000);
  await harness.clock.advance(3_001);
  t.false(await reloading);
  const asked = harness.calls();
  t.false(await harness.integrations.reload(parkId, 10_000));
  t.is(harness.calls(), asked);
});
