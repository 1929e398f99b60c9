import { fc, testProp } from '@fast-check/ava';
import { configEventTypeSchema } from '@ranger-relay/contracts';
import test from 'ava';
import { changeOf, timeOf } from './config-change.ts';
import { configKey } from './config-entry.ts';
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

test('each change names the one entry it touches', (t) => {
  const config = { alt_id: 'auth', integration_id: parkId, changes: { data: {} } };
  t.is(keyOf('IntegrationCreated', bare), configKey.integration(parkId));
  t.is(keyOf('IntegrationUpdated', { id: parkId, changes: {} }), configKey.integration(parkId));
  t.is(keyOf('IntegrationDeleted', { id: parkId }), `all of ${parkId}`);
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
