import test from 'ava';
import { manualClock } from '../test/manual-clock.ts';
import { seeded } from '../time/random.ts';
import { configEvents } from './envelope.ts';

test('config events name their integration and what is new', (t) => {
  const events = configEvents(manualClock(), seeded(1));
  const { event_type, payload, schema_version, timestamp } = events.integrationUpdated('a', { enabled: false });
  t.deepEqual([event_type, schema_version], ['IntegrationUpdated', 'v1']);
  t.deepEqual(payload, { id: 'a', alt_id: 'a', changes: { enabled: false } });
  t.regex(timestamp, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00:00$/);
  t.deepEqual(events.actionConfigUpdated('c', 'a', 'auth', { username: 'y' }).payload, {
    id: 'c',
    alt_id: 'auth',
    integration_id: 'a',
    changes: { data: { username: 'y' } },
  });
});
