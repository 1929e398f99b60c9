import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { isIntegrationId, readSnapshot, withoutConfigurations } from './integration.ts';
import { parkId, wholeIntegration } from './test/platform-answers.ts';

test('an integration is taken apart, unknown members kept', (t) => {
  const { integration, configurations, webhook } = readSnapshot(wholeIntegration());
  t.like(integration, { id: parkId, enabled: true, extra: 'kept', type: { value: 'device_connector' } });
  t.false('configurations' in integration || 'webhook_configuration' in integration);
  t.deepEqual([...configurations.keys()], ['auth', 'pull_events']);
  t.deepEqual(webhook?.['data'], { include_messages: false });
});

test('no webhook, no configurations, odd configurations: the rest is still there', (t) => {
  for (const parts of [
    { webhook_configuration: null, configurations: null },
    { webhook_configuration: undefined, configurations: undefined },
    { webhook_configuration: null, configurations: [null, 7, { action: null }, { data: {} }] },
  ]) {
    const snapshot = readSnapshot(wholeIntegration(parts));
    t.is(snapshot.integration.id, parkId);
    t.is(snapshot.configurations.size, 0);
    t.is(snapshot.webhook, null);
  }
});

test('what is no integration is a transient failure', (t) => {
  for (const json of [null, [], 'x', {}, { id: parkId }, wholeIntegration({ enabled: 'yes' })])
    t.true(
      isRelayError(
        t.throws(() => readSnapshot(json)),
        'platform_unavailable',
      ),
    );
});

test('only texts that can be an id are asked for', (t) => {
  t.true(isIntegrationId(parkId));
  for (const id of ['', '../x', 'a.b', 'a/b', 'x'.repeat(65), 'a b', 'ä']) t.false(isIntegrationId(id), id);
});

test('taking the configurations off leaves other values alone', (t) => {
  for (const value of [null, 7, 'x']) t.is(withoutConfigurations(value), value);
});
