import test from 'ava';
import { manualClock } from '../test/manual-clock.ts';
import { seeded } from '../time/random.ts';
import { configEvents } from './config-events.ts';
import { openIntegrations } from './integrations.ts';
import { createTypes } from './types.ts';

const make = () => configEvents(manualClock(), seeded(1), createTypes());

test('an integration is created without configurations', (t) => {
  const integration = openIntegrations(seeded(1)).put({ id: 'a', configurations: { auth: { username: 'x' } } });
  const { event_type, payload, schema_version, timestamp } = make().integrationCreated(integration);
  t.deepEqual([event_type, schema_version], ['IntegrationCreated', 'v1']);
  t.like(payload, { id: 'a', configurations: [] });
  t.regex(timestamp, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00:00$/);
});

test('changes name their integration and what is new', (t) => {
  const events = make();
  t.deepEqual(events.integrationUpdated('a', { enabled: false }).payload, {
    id: 'a',
    alt_id: 'a',
    changes: { enabled: false },
  });
  t.deepEqual(events.actionConfigUpdated('c', 'a', 'auth', { username: 'y' }).payload, {
    id: 'c',
    alt_id: 'auth',
    integration_id: 'a',
    changes: { data: { username: 'y' } },
  });
  t.like(events.actionConfigCreated('c', 'a', 'auth', {}).payload, { integration: 'a', action: { value: 'auth' } });
});

test('deletions name what is gone', (t) => {
  const events = make();
  t.deepEqual(events.integrationDeleted('a').payload, { id: 'a' });
  t.deepEqual(events.actionConfigDeleted('c', 'a', 'auth').payload, { id: 'c', alt_id: 'auth', integration_id: 'a' });
});
