import { readFile } from 'node:fs/promises';
import { fc, testProp } from '@fast-check/ava';
import { httpAnswer, scriptedHttp } from '@ranger-relay/http/testing';
import { memorySpace, temporaryKv } from '@ranger-relay/kv/testing';
import { manualClock, recordingLogger, testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { createApi } from './api.ts';
import { createConfigCache } from './config-cache.ts';
import {
  ageOf,
  configKey,
  decodeEntry,
  dropEntries,
  encodeEntry,
  encryptedConfig,
  freshMs,
  warnOfUnreadable,
} from './config-entry.ts';
import { applyConfigEvent } from './config-events.ts';
import { createIntegrations } from './integrations.ts';
import { createLoader } from './loader.ts';
import { parkId } from './test/platform-answers.ts';

const canary = 'CANARY-vendor-password';
const integration = {
  id: parkId,
  name: 'Park',
  enabled: true,
  type: { value: 'device_connector' },
  configurations: [{ id: 'c', integration: parkId, action: { value: 'auth' }, data: { password: canary } }],
};

const setUp = async (t: ExecutionContext) => {
  const { kv, path, close } = await temporaryKv();
  t.teardown(close);
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const platform = { calls: 0, answer: httpAnswer(200, integration) };
  const http = scriptedHttp(() => {
    platform.calls += 1;
    return platform.answer;
  });
  const api = createApi('https://api.example', http, {
    token: () => Promise.resolve('t'),
    invalidate: () => undefined,
  });
  /** The configuration of one process. */
  const processWith = (clientSecret: string, previousSecret?: string) => {
    const config = encryptedConfig({
      kv,
      clientSecret,
      previousSecret,
      onUnreadable: warnOfUnreadable({ clock, log }),
    });
    const cache = createConfigCache(config, createLoader(api, config, clock, log), clock);
    const integrations = createIntegrations(api, cache, { clock, random: { next: () => 0, uuid: () => 'u' } });
    return { config, cache, read: () => integrations.actionConfig(parkId, 'auth') };
  };
  const file = async (): Promise<string> =>
    (await Promise.all([path, `${path}-wal`].map((name) => readFile(name, 'latin1').catch(() => '')))).join('');
  return { kv, clock, lines, platform, processWith, file };
};

test('no password of a configuration lies in the store, whether it was loaded or came as a config event', async (t) => {
  const { kv, clock, processWith, file } = await setUp(t);
  const one = processWith('s');
  t.true(JSON.stringify(await one.read()).includes(canary));
  const payload = { alt_id: 'push', integration_id: parkId, changes: { data: { password: canary } } };
  const event = { event_id: 'e', timestamp: new Date(clock.now()).toISOString(), schema_version: 'v1' } as const;
  await applyConfigEvent(
    { ...one, clock, conditions: testContext().conditions },
    { ...event, event_type: 'ActionConfigUpdated', payload },
  );
  const stored = await kv.config.list('');
  t.true(stored.length >= 4);
  for (const { key, value } of stored)
    t.is(value.startsWith('enc:v1:'), key.startsWith('integrationconfig.') && !key.endsWith('.webhook'), key);
  t.true((await file()).includes('enc:v1:'));
  t.false((await file()).includes('CANARY'));
});

test('processes with the same client secret share what one of them has loaded', async (t) => {
  const { platform, processWith, lines } = await setUp(t);
  await processWith('s').read();
  t.true(JSON.stringify(await processWith('s').read()).includes(canary));
  t.is(platform.calls, 1);
  t.deepEqual(lines, []);
});

test('what another secret has encrypted is loaded anew, with one WARNING that says why', async (t) => {
  const { platform, processWith, lines } = await setUp(t);
  await processWith('before').read();
  const { read, config } = processWith('after');
  t.true(JSON.stringify(await read()).includes(canary));
  t.is(platform.calls, 2);
  await processWith('before').config.set('x', 'y');
  await config.get('x');
  const warnings = lines.filter((line) => JSON.stringify(line).includes('PLATFORM_CLIENT_SECRET'));
  t.is(warnings.length, 1);
});

test('with a wrong client secret webhooks are taken as before: integrations and their webhook settings serve on', async (t) => {
  const { platform, processWith } = await setUp(t);
  await processWith('right').read();
  platform.answer = httpAnswer(401, {});
  const { config } = processWith('wrong');
  t.truthy(await config.get(configKey.integration(parkId)));
  t.truthy(await config.get(configKey.webhook(parkId)));
  t.is(await config.get(configKey.action(parkId, 'auth')), null);
});

test('after a change of the secret configuration of the one before serves, and is encrypted with the new one when it is written again', async (t) => {
  const { platform, lines, processWith } = await setUp(t);
  const before = processWith('before');
  await before.read();
  const after = processWith('after', 'before');
  t.true(JSON.stringify(await after.read()).includes(canary));
  t.is(platform.calls, 1);
  t.deepEqual(lines, []);
  const stored = (await after.config.get(configKey.action(parkId, 'auth'))) ?? '';
  t.true(await after.config.compareAndSet(configKey.action(parkId, 'auth'), stored, stored));
  t.is(await before.config.get(configKey.action(parkId, 'auth')), null);
  t.is(await processWith('after').config.get(configKey.action(parkId, 'auth')), stored);
});

testProp(
  'an entry comes back as it was stored',
  [fc.integer({ min: 0, max: 4e12 }), fc.oneof(fc.constant(null), fc.dictionary(fc.string(), fc.string()))],
  (t, loadedAt, value) => {
    const text = encodeEntry({ loadedAt, value });
    t.deepEqual(decodeEntry(text), { loadedAt, value: JSON.parse(JSON.stringify(value)) as unknown });
    t.deepEqual(Object.keys(JSON.parse(text) as object), ['loaded_at', 'value']);
  },
);

testProp('any stored text is an entry or none, never a crash', [fc.oneof(fc.string(), fc.json())], (t, text) => {
  const entry = decodeEntry(text);
  t.true(entry === undefined || Number.isFinite(entry.loadedAt));
});

test('entries are fresh for an hour, webhooks for a minute, absent ones for five, unknown ones for a minute', (t) => {
  t.is(freshMs('integration', {}), 3_600_000);
  t.is(freshMs('action', {}), 3_600_000);
  t.is(freshMs('action', null), 300_000);
  t.is(freshMs('webhook', {}), 60_000);
  t.is(freshMs('webhook', null), 60_000);
  t.is(freshMs('integration', null), 60_000);
});

test('an entry from the future is not fresh', (t) => {
  t.is(ageOf({ loadedAt: 1_000, value: 1 }, 5_000), 4_000);
  t.is(ageOf({ loadedAt: 60_000, value: 1 }, 5_000), Infinity);
});

test('all entries of one integration are dropped, and of no other', async (t) => {
  const config = memorySpace(manualClock());
  const keys = ['a', 'ab'].flatMap((id) => [
    configKey.integration(id),
    configKey.webhook(id),
    configKey.action(id, 'auth'),
  ]);
  for (const key of keys) await config.set(key, 'x');
  await dropEntries(config, 'a');
  t.deepEqual(
    [...config.entries.keys()],
    ['integration.ab', 'integrationconfig.ab.webhook', 'integrationconfig.ab.auth'],
  );
});

test('no action of the platform, whatever its name, has the entry of the webhook or of another integration', (t) => {
  const keys = ['webhook', '%webhook', '%0025webhook', 'auth', 'a.b', ''].map((action) =>
    configKey.action('park', action),
  );
  t.is(new Set([...keys, configKey.webhook('park')]).size, keys.length + 1);
  t.is(configKey.action('park', 'pull_events'), 'integrationconfig.park.pull_events');
});
