import { isRelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { httpAnswer, broken } from '@ranger-relay/http/testing';
import test from 'ava';
import { cacheHarness } from './test/cache-harness.ts';
import { parkId, wholeIntegration } from './test/platform-answers.ts';

const expected = { id: parkId, enabled: true, settings: { include_messages: false } };

test('one call gives the integration, and fills every entry', async (t) => {
  const harness = cacheHarness();
  t.deepEqual(await harness.integrations.loadIntegration(parkId), expected);
  t.is(harness.calls(), 1);
  t.is(harness.http.requests[0]?.url, `https://api.example/v2/integrations/${parkId}/`);
  await harness.clock.advance(0);
  t.deepEqual([...harness.kv.config.entries.keys()].sort(), [
    `integration.${parkId}`,
    `integrationconfig.${parkId}.auth`,
    `integrationconfig.${parkId}.pull_events`,
    `integrationconfig.${parkId}.webhook`,
  ]);
  t.deepEqual(await harness.integrations.actionConfig(parkId, 'auth'), { username: 'u' });
  t.is((await harness.integrations.integration(parkId))?.base_url, 'https://vendor.example');
  t.is(harness.calls(), 1);
});

test('many requests at a time make one call', async (t) => {
  const harness = cacheHarness();
  await Promise.all(Array.from({ length: 100 }, () => harness.integrations.loadIntegration(parkId)));
  t.is(harness.calls(), 1);
});

test('in steady traffic nobody waits and no request makes a call of its own', async (t) => {
  const harness = cacheHarness();
  await harness.integrations.loadIntegration(parkId);
  for (let second = 0; second < 600; second += 1) {
    await harness.clock.advance(1_000);
    harness.kv.config.counts.clear();
    const loading = harness.integrations.loadIntegration(parkId);
    t.true((harness.kv.config.counts.get('get') ?? 0) <= 2);
    t.deepEqual(await loading, expected);
  }
  t.true(harness.calls() <= 16, `${harness.calls()} calls in 600 s`);
});

test('a change at the platform is seen within a minute', async (t) => {
  const harness = cacheHarness();
  await harness.integrations.loadIntegration(parkId);
  harness.platform.answer = () => httpAnswer(200, wholeIntegration({ webhook_configuration: { data: { new: true } } }));
  await harness.clock.advance(60_001);
  t.deepEqual((await harness.integrations.loadIntegration(parkId))?.settings, { new: true });
});

test('an integration without webhook settings has empty ones', async (t) => {
  for (const webhook_configuration of [null, { data: null }, {}]) {
    const harness = cacheHarness();
    harness.platform.answer = () => httpAnswer(200, wholeIntegration({ webhook_configuration, enabled: false }));
    t.deepEqual(await harness.integrations.loadIntegration(parkId), { id: parkId, enabled: false, settings: {} });
  }
});

test('a configuration that serves outlives a 404 that the platform takes back, however often it is asked meanwhile', async (t) => {
  const harness = cacheHarness();
  await harness.integrations.loadIntegration(parkId);
  for (let round = 0; round < 3; round++) {
    harness.platform.answer = () => httpAnswer(404, { detail: 'Not found.' });
    for (let minutes = 0; minutes < 14; minutes++) {
      await harness.clock.advance(61_000);
      t.deepEqual((await harness.timed(harness.integrations.loadIntegration(parkId))).value, expected);
    }
    harness.platform.answer = () => httpAnswer(200, wholeIntegration());
    await harness.clock.advance(121_000);
    t.deepEqual(await harness.integrations.loadIntegration(parkId), expected);
  }
});

test('an id that the platform has not known for 15 minutes is null, remembered for a minute, and its old entries go', async (t) => {
  const harness = cacheHarness();
  await harness.integrations.loadIntegration(parkId);
  harness.platform.answer = () => httpAnswer(404, { detail: 'Not found.' });
  for (let minutes = 0; minutes < 15; minutes++) {
    await harness.clock.advance(61_000);
    await harness.timed(harness.integrations.loadIntegration(parkId));
  }
  await harness.clock.advance(61_000);
  t.is(await harness.integrations.loadIntegration(parkId), null);
  t.is(await harness.integrations.actionConfig(parkId, 'auth'), null);
  const calls = harness.calls();
  await harness.clock.advance(30_000);
  t.is(await harness.integrations.loadIntegration(parkId), null);
  t.is(harness.calls(), calls);
  t.is(harness.kv.config.entries.size, 0);
  await harness.clock.advance(31_000);
  harness.platform.answer = () => httpAnswer(200, wholeIntegration());
  t.deepEqual(await harness.integrations.loadIntegration(parkId), expected);
});

test('an unknown id is not taken for unknown when the platform is down', async (t) => {
  const harness = cacheHarness();
  harness.platform.answer = () => httpAnswer(404, { detail: 'Not found.' });
  t.is(await harness.integrations.loadIntegration(parkId), null);
  harness.platform.answer = () => broken('http_connect');
  await harness.clock.advance(61_000);
  const { error } = await harness.timed(harness.integrations.loadIntegration(parkId));
  t.true(isRelayError(error, 'platform_unavailable'));
});

test('what cannot be an id is unknown without a call', async (t) => {
  const harness = cacheHarness();
  t.is(await harness.integrations.loadIntegration('../../admin'), null);
  t.is(await harness.integrations.integration('a.b'), null);
  t.is(await harness.integrations.actionConfig('', 'auth'), null);
  t.is(harness.calls(), 0);
});

test('an action without a configuration is null, and asked for again after five minutes', async (t) => {
  const harness = cacheHarness();
  t.is(await harness.integrations.actionConfig(parkId, 'push_messages'), null);
  t.is(await harness.integrations.actionConfig(parkId, 'push_messages'), null);
  t.is(harness.calls(), 1);
  await harness.clock.advance(301_000);
  t.is(await harness.integrations.actionConfig(parkId, 'push_messages'), null);
  t.is(harness.calls(), 2);
});

test('that an action has no configuration is found in the store by another process', async (t) => {
  const first = cacheHarness();
  t.is(await first.integrations.actionConfig(parkId, 'push_messages'), null);
  await first.clock.advance(0);
  t.like(first.stored(`integrationconfig.${parkId}.push_messages`), { value: null });
  const second = cacheHarness(first.clock, first.kv);
  t.is(await second.integrations.actionConfig(parkId, 'push_messages'), null);
  t.is(second.calls(), 0);
});

test('integration and configuration that are asked for at once cost one call', async (t) => {
  for (const action of ['auth', 'push_messages']) {
    const harness = cacheHarness();
    await Promise.all([harness.integrations.actionConfig(parkId, action), harness.integrations.integration(parkId)]);
    t.is(harness.calls(), 1);
  }
});

test('callers that can wait do not wait for long when old configuration can serve', async (t) => {
  const harness = cacheHarness();
  await harness.integrations.integration(parkId);
  harness.platform.answer = () => new Promise(() => undefined);
  await harness.clock.advance(3_700_000);
  const { value, ms } = await harness.timed(harness.integrations.actionConfig(parkId, 'auth'));
  t.deepEqual(value, { username: 'u' });
  t.true(ms <= 3_100, `${ms} ms`);
});

test('another process finds in the store what the first has loaded', async (t) => {
  const first = cacheHarness();
  await first.integrations.loadIntegration(parkId);
  await first.clock.advance(0);
  const second = cacheHarness(first.clock, first.kv);
  second.platform.answer = () => broken('http_connect');
  t.deepEqual(await second.integrations.loadIntegration(parkId), expected);
  t.is(second.calls(), 0);
});

test('without the store the platform is asked, and memory serves', async (t) => {
  const harness = cacheHarness();
  harness.kv.config.away = true;
  t.deepEqual(await harness.integrations.loadIntegration(parkId), expected);
  t.deepEqual(await harness.integrations.loadIntegration(parkId), expected);
  t.is(harness.calls(), 1);
});

test('a damaged entry of the store is as good as none', async (t) => {
  const harness = cacheHarness();
  for (const bad of ['{"loaded_at":"2026-01-01T00:00:00.000Z","value":7}', 'null', '', '{']) {
    harness.cache.forget(parkId);
    for (const key of [`integration.${parkId}`, `integrationconfig.${parkId}.webhook`])
      await harness.kv.config.set(key, bad);
    t.deepEqual(await harness.integrations.loadIntegration(parkId), expected);
  }
});

const outages: [string, () => HttpAnswer | Promise<HttpAnswer>][] = [
  ['refuses connections', () => broken('http_connect')],
  ['answers 500', () => httpAnswer(500)],
  ['answers 429', () => httpAnswer(429, '', { retryAfterMs: 60_000 })],
  ['answers half a body', () => httpAnswer(200, '{"id"')],
  ['answers something else', () => httpAnswer(200, [])],
  ['refuses the token', () => httpAnswer(302)],
  ['forbids', () => httpAnswer(403)],
  ['hangs', () => new Promise(() => undefined)],
];
for (const [what, answer] of outages) {
  test(`a platform that ${what}: old configuration within three seconds, then without waiting`, async (t) => {
    const harness = cacheHarness();
    await harness.integrations.loadIntegration(parkId);
    harness.platform.answer = answer;
    await harness.clock.advance(3_700_000);
    const first = await harness.timed(harness.integrations.loadIntegration(parkId));
    t.deepEqual(first.value, expected);
    t.true(first.ms <= 3_100, `${first.ms} ms`);
    t.deepEqual(await harness.integrations.loadIntegration(parkId), expected);
  });

  test(`a platform that ${what}, nothing known: platform_unavailable within three seconds`, async (t) => {
    const harness = cacheHarness();
    harness.platform.answer = answer;
    const { error, ms } = await harness.timed(harness.integrations.loadIntegration(parkId));
    t.true(isRelayError(error, 'platform_unavailable'));
    t.true(ms <= 3_100, `${ms} ms`);
  });
}

test('old configuration serves for seven days, also from the store alone, then no more', async (t) => {
  const first = cacheHarness();
  await first.integrations.loadIntegration(parkId);
  await first.clock.advance(6.9 * 86_400_000);
  const second = cacheHarness(first.clock, first.kv);
  second.platform.answer = () => broken('http_connect');
  t.deepEqual((await second.timed(second.integrations.loadIntegration(parkId))).value, expected);
  await first.clock.advance(0.2 * 86_400_000);
  const late = await second.timed(second.integrations.loadIntegration(parkId));
  t.true(isRelayError(late.error, 'platform_unavailable'));
});

test('a slow answer is there for the next request', async (t) => {
  const harness = cacheHarness();
  harness.kv.config.away = true;
  const late = Promise.withResolvers<HttpAnswer>();
  harness.platform.answer = () => late.promise;
  const first = await harness.timed(harness.integrations.loadIntegration(parkId));
  t.true(isRelayError(first.error, 'platform_unavailable'));
  late.resolve(httpAnswer(200, wholeIntegration()));
  await harness.clock.advance(1);
  t.deepEqual(await harness.integrations.loadIntegration(parkId), expected);
  t.is(harness.calls(), 1);
});

test('callers that can wait get it when the platform is back', async (t) => {
  const harness = cacheHarness();
  harness.platform.answer = () => (harness.calls() < 4 ? broken('http_connect') : httpAnswer(200, wholeIntegration()));
  t.is((await harness.timed(harness.integrations.integration(parkId))).value?.id, parkId);
  t.is(harness.calls(), 4);
});

test('a clock that is set back does not keep old configuration alive', async (t) => {
  const harness = cacheHarness();
  await harness.integrations.loadIntegration(parkId);
  harness.clock.jump(-86_400_000);
  harness.platform.answer = () => httpAnswer(200, wholeIntegration({ enabled: false }));
  t.false((await harness.integrations.loadIntegration(parkId))?.enabled);
});

test('it is told each time that old configuration stands in, and never while the platform answers', async (t) => {
  const harness = cacheHarness();
  await harness.integrations.loadIntegration(parkId);
  await harness.clock.advance(3_600_001);
  await harness.integrations.loadIntegration(parkId);
  t.is(harness.stale.times, 0);
  await harness.clock.advance(3_600_001);
  harness.platform.answer = () => broken('http_connect');
  await harness.timed(harness.integrations.loadIntegration(parkId));
  t.true(harness.stale.times > 0);
});
