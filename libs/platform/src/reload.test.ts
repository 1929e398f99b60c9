import test from 'ava';
import { cacheWorld } from './test/cache-world.ts';
import { parkId, wholeIntegration } from './test/platform-answers.ts';
import { answerWith, broken } from './test/scripted-http.ts';

const auth = (data: object) => ({ id: 'c1', integration: parkId, action: { type: 'auth', value: 'auth' }, data });

test('what was saved within the hour is there when it is asked for anew, for every reader of the store', async (t) => {
  const world = cacheWorld();
  await world.integrations.actionConfig(parkId, 'auth');
  world.platform.answer = () => answerWith(200, wholeIntegration({ configurations: [auth({ username: 'new' })] }));
  t.deepEqual(await world.integrations.actionConfig(parkId, 'auth'), { username: 'u' });
  t.true(await world.integrations.reload(parkId));
  t.deepEqual(await world.integrations.actionConfig(parkId, 'auth'), { username: 'new' });
  t.is(world.calls(), 2);
  await world.clock.advance(0);
  t.regex(world.kv.config.entries.get(`integrationconfig.${parkId}.auth`) ?? '', /"new"/);
});

test('a configuration that was removed is absent', async (t) => {
  const world = cacheWorld();
  await world.integrations.actionConfig(parkId, 'auth');
  world.platform.answer = () => answerWith(200, wholeIntegration({ configurations: [] }));
  t.true(await world.integrations.reload(parkId));
  t.is(await world.integrations.actionConfig(parkId, 'auth'), null);
});

test('while the platform is away it says so within 3 s, and what is known serves on', async (t) => {
  const world = cacheWorld();
  await world.integrations.actionConfig(parkId, 'auth');
  world.platform.answer = () => broken('http_connect');
  const began = world.clock.monotonic();
  const reloading = world.integrations.reload(parkId);
  await world.clock.advance(3_001);
  t.false(await reloading);
  t.true(world.clock.monotonic() - began <= 3_001);
  t.deepEqual(await world.integrations.actionConfig(parkId, 'auth'), { username: 'u' });
});

test('whoever can do with an answer of a moment ago gets that, whatever it was, and the platform is not asked', async (t) => {
  const world = cacheWorld();
  t.true(await world.integrations.reload(parkId, 10_000));
  world.platform.answer = () => broken('http_connect');
  t.true(await world.integrations.reload(parkId, 10_000));
  t.is(world.calls(), 1);
  await world.clock.advance(10_000);
  const reloading = world.integrations.reload(parkId, 10_000);
  await world.clock.advance(3_001);
  t.false(await reloading);
  const asked = world.calls();
  t.false(await world.integrations.reload(parkId, 10_000));
  t.is(world.calls(), asked);
});
