import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { ageOf, configKey, decodeEntry, dropEntries, encodeEntry, freshMs } from './config-entry.ts';
import { memoryKv } from './test/memory-kv.ts';

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
  const { config } = memoryKv();
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
