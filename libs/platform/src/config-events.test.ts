import { fc, testProp } from '@fast-check/ava';
import { type ConfigEvent, type ConfigEventType, configEventTypeSchema } from '@ranger-relay/contracts';
import { isRelayError } from '@ranger-relay/errors';
import { httpAnswer } from '@ranger-relay/http/testing';
import test from 'ava';
import { configKey, encodeEntry } from './config-entry.ts';
import { applyConfigEvent, changeOf, examineConfigEvent, readConfigEvent, timeOf } from './config-events.ts';
import { cacheHarness } from './test/cache-harness.ts';
import { parkId, wholeIntegration } from './test/platform-answers.ts';

const nextOf = (type: Parameters<typeof changeOf>[0], payload: unknown, present?: unknown): unknown => {
  const change = changeOf(type, payload);
  return change.kind === 'entry'
    ? change.next(present === undefined ? undefined : { loadedAt: 0, value: present })
    : change;
};

const keyOf = (type: Parameters<typeof changeOf>[0], payload: unknown): string => {
  const change = changeOf(type, payload);
  return change.kind === 'entry' ? change.key : `all of ${change.id}`;
};

const { configurations: _c, webhook_configuration: _w, ...bare } = wholeIntegration();

test('an integration that is created with configurations is kept without them', (t) => {
  t.deepEqual(nextOf('IntegrationCreated', wholeIntegration()), bare);
});

test('only the four members that can change are changed', (t) => {
  const changes = {
    name: 'N',
    base_url: 'https://n.example',
    enabled: false,
    additional: { a: 1 },
    type: null,
    extra: 'no',
  };
  t.deepEqual(nextOf('IntegrationUpdated', { id: parkId, changes }, bare), {
    ...bare,
    name: 'N',
    base_url: 'https://n.example',
    enabled: false,
    additional: { a: 1 },
  });
});

test('an update of nothing known, of something damaged, or to something impossible leaves the entry as it is', (t) => {
  t.is(nextOf('IntegrationUpdated', { id: parkId, changes: { enabled: false } }), undefined);
  t.is(nextOf('IntegrationUpdated', { id: parkId, changes: { enabled: false } }, 'damaged'), undefined);
  t.is(nextOf('IntegrationUpdated', { id: parkId, changes: { enabled: 'maybe' } }, bare), undefined);
});

test('data is replaced, never merged', (t) => {
  const present = { id: 'c1', action: { type: 'auth', value: 'auth' }, data: { a: 1, b: 2 } };
  const payload = { id: 'c1', alt_id: 'auth', integration_id: parkId, changes: { data: { b: 3 } } };
  t.deepEqual(nextOf('ActionConfigUpdated', payload, present), { ...present, data: { b: 3 } });
  t.like(nextOf('ActionConfigUpdated', payload, null), { data: { b: 3 }, action: { value: 'auth' } });
});

for (const spelled of [parkId, parkId.toUpperCase()])
  test(`each change names the one entry it touches, also of ${spelled}`, (t) => {
    const config = { alt_id: 'auth', integration_id: spelled, changes: { data: {} } };
    t.is(keyOf('IntegrationCreated', { ...bare, id: spelled }), configKey.integration(parkId));
    t.is(keyOf('IntegrationUpdated', { id: spelled, changes: {} }), configKey.integration(parkId));
    t.is(keyOf('IntegrationDeleted', { id: spelled }), `all of ${parkId}`);
    t.is(keyOf('ActionConfigUpdated', config), configKey.action(parkId, 'auth'));
    t.is(keyOf('ActionConfigDeleted', config), configKey.action(parkId, 'auth'));
  });

testProp(
  'any payload of any type is a change of a well-formed id, or is refused',
  [fc.constantFrom(...configEventTypeSchema.options), fc.jsonValue()],
  (t, type, payload) => {
    try {
      t.regex(changeOf(type, payload).id, /^[\w-]{1,64}$/);
    } catch (error) {
      t.is((error as Error).name, 'ZodError');
    }
  },
);

testProp(
  'every instant is read back from both forms of writing',
  [fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })],
  (t, date) => {
    const iso = date.toISOString();
    t.is(timeOf(iso), date.getTime());
    t.is(timeOf(iso.replace('T', ' ').replace('Z', '999+00:00')), date.getTime());
  },
);

const start = Date.UTC(2026, 0, 1);
const integrationKey = configKey.integration(parkId);
const authKey = configKey.action(parkId, 'auth');

const eventOf = (event_type: ConfigEventType, payload: Record<string, unknown>, at = start + 1_000): ConfigEvent => ({
  event_id: 'e',
  timestamp: new Date(at).toISOString(),
  schema_version: 'v1',
  event_type,
  payload,
});

/** A world whose cache is filled, one minute later. */
const filled = async () => {
  const harness = cacheHarness();
  await harness.integrations.loadIntegration(parkId);
  await harness.clock.advance(60_000);
  const apply = (event: ConfigEvent) => applyConfigEvent({ ...harness, config: harness.kv.config }, event);
  return {
    ...harness,
    apply,
    value: (key: string) => harness.stored(key)?.value as Record<string, unknown> | null | undefined,
  };
};

const created = { id: 'c9', integration: parkId, action: { type: 'push', value: 'push_messages' }, data: { a: 1 } };
const updated = (data: unknown) => ({ id: 'c1', alt_id: 'auth', integration_id: parkId, changes: { data } });

test('a created integration and a created configuration are stored', async (t) => {
  const harness = await filled();
  await harness.apply(eventOf('IntegrationCreated', wholeIntegration({ id: 'new', configurations: undefined })));
  t.like(harness.value(configKey.integration('new')), { id: 'new', enabled: true, extra: 'kept' });
  await harness.apply(eventOf('ActionConfigCreated', created));
  t.deepEqual(await harness.integrations.actionConfig(parkId, 'push_messages'), { a: 1 });
  t.is(harness.calls(), 1);
});

test('a configuration and an integration that were absent are there as soon as their event is applied', async (t) => {
  const harness = await filled();
  t.is(await harness.integrations.actionConfig(parkId, 'push_messages'), null);
  await harness.apply(eventOf('ActionConfigCreated', created, start + 60_000));
  t.deepEqual(await harness.integrations.actionConfig(parkId, 'push_messages'), { a: 1 });
  harness.platform.answer = () => httpAnswer(404, { detail: 'Not found.' });
  t.is(await harness.integrations.integration('new'), null);
  await harness.apply(eventOf('IntegrationCreated', wholeIntegration({ id: 'new' }), start + 60_000));
  t.like(await harness.integrations.integration('new'), { id: 'new' });
});

test('an updated integration changes what is cached, in the named members only', async (t) => {
  const harness = await filled();
  const changes = { name: 'New', enabled: false, type: { value: 'evil' }, id: 'other' };
  await harness.apply(eventOf('IntegrationUpdated', { id: parkId, alt_id: null, changes }));
  t.like(harness.value(integrationKey), {
    id: parkId,
    name: 'New',
    enabled: false,
    type: { value: 'device_connector' },
  });
  t.is(harness.stored(integrationKey)?.loadedAt, start + 1_000);
});

test('an update is seen by the next request, without asking the platform for the integration', async (t) => {
  const harness = await filled();
  await harness.integrations.loadIntegration(parkId);
  const calls = harness.calls();
  await harness.apply(eventOf('IntegrationUpdated', { id: parkId, changes: { enabled: false } }, start + 60_000));
  t.false((await harness.integrations.integration(parkId))?.enabled);
  t.is(harness.calls(), calls);
});

test('an update of an integration that is not cached changes nothing', async (t) => {
  const harness = await filled();
  await harness.apply(eventOf('IntegrationUpdated', { id: 'other', changes: { enabled: false } }));
  t.is(harness.stored(configKey.integration('other')), undefined);
});

test('a deleted integration leaves no entry', async (t) => {
  const harness = await filled();
  await harness.apply(eventOf('IntegrationDeleted', { id: parkId }));
  t.is(harness.kv.config.entries.size, 0);
  harness.platform.answer = () => httpAnswer(404, { detail: 'Not found.' });
  t.is(await harness.integrations.loadIntegration(parkId), null);
});

test('updated data replaces all of it, whether the configuration was cached or not', async (t) => {
  const harness = await filled();
  await harness.apply(eventOf('ActionConfigUpdated', updated({ password: 'p' })));
  t.deepEqual(await harness.integrations.actionConfig(parkId, 'auth'), { password: 'p' });
  t.like(harness.value(authKey), { id: 'c1', action: { type: 'auth' } });
  await harness.kv.config.delete(authKey);
  await harness.apply(eventOf('ActionConfigUpdated', updated({ password: 'q' })));
  t.like(harness.value(authKey), { data: { password: 'q' }, action: { value: 'auth' }, integration: parkId });
});

test('a deleted configuration is absent', async (t) => {
  const harness = await filled();
  await harness.apply(eventOf('ActionConfigDeleted', { id: 'c1', alt_id: 'auth', integration_id: parkId }));
  t.is(harness.value(authKey), null);
  t.is(await harness.integrations.actionConfig(parkId, 'auth'), null);
  t.is(harness.calls(), 1);
});

test('an event older than the entry, or of no time, only drops it', async (t) => {
  for (const event of [
    eventOf('ActionConfigUpdated', updated({ old: true }), start - 1),
    { ...eventOf('ActionConfigUpdated', updated({ old: true })), timestamp: 'yesterday' },
    eventOf('ActionConfigDeleted', { alt_id: 'auth', integration_id: parkId }, start - 1),
  ]) {
    const harness = await filled();
    await harness.apply(event);
    t.is(harness.stored(authKey), undefined);
    t.deepEqual(await harness.integrations.actionConfig(parkId, 'auth'), { username: 'u' });
  }
});

test('of two events in the wrong order the newer never loses', async (t) => {
  const harness = await filled();
  await harness.apply(eventOf('ActionConfigUpdated', updated({ n: 2 }), start + 2_000));
  await harness.apply(eventOf('ActionConfigUpdated', updated({ n: 1 }), start + 1_000));
  t.is(harness.stored(authKey), undefined);
});

test('applied twice is as good as once', async (t) => {
  const harness = await filled();
  const event = eventOf('ActionConfigUpdated', updated({ n: 1 }));
  await harness.apply(event);
  const once = [...harness.kv.config.entries];
  await harness.apply(event);
  t.deepEqual([...harness.kv.config.entries], once);
});

test('an event from the future does not make an entry from the future', async (t) => {
  const harness = await filled();
  await harness.apply(eventOf('ActionConfigUpdated', updated({ n: 1 }), start + 86_400_000));
  t.is(harness.stored(authKey)?.loadedAt, harness.clock.now());
});

test('a load under way when a change becomes known is neither stored nor remembered', async (t) => {
  const harness = await filled();
  const late = Promise.withResolvers<ReturnType<typeof httpAnswer>>();
  harness.platform.answer = () => late.promise;
  const loading = harness.integrations.loadIntegration(parkId);
  await harness.clock.advance(1);
  await harness.apply(eventOf('IntegrationUpdated', { id: parkId, changes: { enabled: false } }, start + 60_000));
  late.resolve(httpAnswer(200, wholeIntegration()));
  t.truthy(await loading);
  await harness.clock.advance(1);
  t.false((await harness.integrations.integration(parkId))?.enabled);
});

test('a configuration that is created while a load without it is under way does not become absent', async (t) => {
  const harness = await filled();
  const late = Promise.withResolvers<ReturnType<typeof httpAnswer>>();
  harness.platform.answer = () => late.promise;
  const loading = harness.integrations.actionConfig(parkId, 'push_messages');
  await harness.clock.advance(1);
  await harness.apply(eventOf('ActionConfigCreated', created, start + 60_000));
  late.resolve(httpAnswer(200, wholeIntegration()));
  await loading;
  await harness.clock.advance(1);
  t.not(harness.value(configKey.action(parkId, 'push_messages')), null);
  t.deepEqual(await harness.integrations.actionConfig(parkId, 'push_messages'), { a: 1 });
});

test('an entry that changes at the same time is changed from its newest state, or dropped', async (t) => {
  const harness = await filled();
  const { config } = harness.kv;
  let others = 0;
  const racing = {
    ...config,
    get: async (key: string) => {
      const text = await config.get(key);
      if ((others += 1) < 100)
        await config.set(key, encodeEntry({ loadedAt: start, value: { ...created, n: others } }));
      return text;
    },
  };
  await applyConfigEvent({ ...harness, config: racing }, eventOf('ActionConfigUpdated', updated({ n: 1 })));
  t.is(harness.stored(authKey), undefined);
});

test('while the store is away the event fails, and memory has forgotten', async (t) => {
  const harness = await filled();
  harness.kv.config.away = true;
  const error = await t.throwsAsync(harness.apply(eventOf('ActionConfigUpdated', updated({ n: 1 }))));
  t.true(isRelayError(error, 'kv_unavailable'));
  await harness.integrations.integration(parkId);
  t.is(harness.calls(), 2);
});

test('a condition ends with the integration or the action that an event ends, and a dropped SOS when it is enabled again', async (t) => {
  const { conditions, apply } = await filled();
  const names = () => conditions.active().map(({ name }) => name);
  conditions.set('action_failing', `${parkId}/auth`, { reason: 'x' });
  conditions.set('api_key_refused', parkId);
  await apply(eventOf('ActionConfigDeleted', { id: 'x', alt_id: 'auth', integration_id: parkId }));
  t.deepEqual(names(), ['api_key_refused']);
  conditions.set('sos_dropped', parkId);
  await apply(eventOf('IntegrationUpdated', { id: parkId, changes: { enabled: false } }));
  t.deepEqual(names(), ['sos_dropped']);
  await apply(eventOf('IntegrationUpdated', { id: parkId, changes: { enabled: true } }));
  t.deepEqual(names(), []);
  conditions.set('sos_dropped', parkId);
  await apply(eventOf('IntegrationDeleted', { id: parkId }));
  t.deepEqual(names(), []);
});

test('an event that is older than what is known of the integration or the action ends no condition', async (t) => {
  const { conditions, apply } = await filled();
  conditions.set('action_failing', `${parkId}/auth`, { reason: 'x' });
  conditions.set('sos_dropped', parkId);
  const before = conditions.active();
  await apply(eventOf('ActionConfigDeleted', { id: 'x', alt_id: 'auth', integration_id: parkId }, start - 1));
  await apply(eventOf('IntegrationUpdated', { id: parkId, changes: { enabled: true } }, start - 1));
  t.deepEqual(conditions.active(), before);
});

const bytes = (value: unknown): Uint8Array =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

test('the type is that of the header, else of the body', (t) => {
  const event = eventOf('IntegrationDeleted', { id: parkId });
  t.deepEqual(readConfigEvent(bytes(event), {}), event);
  const { event_type: _, ...untyped } = event;
  t.is(readConfigEvent(bytes(untyped), { event_type: 'IntegrationDeleted' })?.event_type, 'IntegrationDeleted');
});

test('another version, another type and a payload of another shape are no events', (t) => {
  const event = eventOf('IntegrationDeleted', { id: parkId });
  for (const bad of [
    '',
    '{',
    'null',
    '[]',
    { ...event, schema_version: 'v2' },
    { ...event, event_type: 'X' },
    { ...event, payload: {} },
  ])
    t.is(readConfigEvent(bytes(bad), {}), undefined);
  t.is(readConfigEvent(bytes(event), { event_type: 'Other' }), undefined);
  t.is(readConfigEvent(bytes({ ...event, payload: { id: '../x' } }), {}), undefined);
});

test('another version or type is told from what is malformed', (t) => {
  const event = eventOf('IntegrationDeleted', { id: parkId });
  for (const other of [
    { ...event, schema_version: 'v2' },
    { ...event, event_type: 'X', payload: 7 },
  ])
    t.is(examineConfigEvent(bytes(other), {}).kind, 'other');
  for (const bad of ['{', 'null', '[]', {}, { ...event, payload: {} }, { ...event, schema_version: 1 }])
    t.is(examineConfigEvent(bytes(bad), {}).kind, 'malformed');
});

testProp('any bytes are an event or none, never a crash', [fc.uint8Array(), fc.json()], (t, raw, json) => {
  t.is(readConfigEvent(raw, {}), undefined);
  t.is(readConfigEvent(bytes(json), { event_type: 'IntegrationUpdated' }), undefined);
});

test('times are read in every form the platform writes', (t) => {
  const wanted = Date.UTC(2025, 0, 7, 12, 31, 56, 302);
  for (const text of [
    '2025-01-07 12:31:56.302384+00:00',
    '2025-01-07T12:31:56.302Z',
    '2025-01-07T15:31:56.302384+03:00',
    '2025-01-07 12:31:56.302',
  ])
    t.is(timeOf(text), wanted, text);
  t.true(Number.isNaN(timeOf('soon')));
});
