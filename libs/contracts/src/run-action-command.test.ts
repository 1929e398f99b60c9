import test from 'ava';
import { commandKey, isUnknownTrigger, newCommand, runActionCommandSchema } from './index.ts';

const ids = { integration_id: 'park', action_id: 'pull_events' };

test('only the two ids are needed, and unknown members pass', (t) => {
  t.deepEqual(runActionCommandSchema.parse({ ...ids, other: 1 }), { ...ids, other: 1 });
  for (const name of ['integration_id', 'action_id'] as const)
    for (const value of [undefined, null, '', 7])
      t.false(runActionCommandSchema.safeParse({ ...ids, [name]: value }).success, `${name} ${String(value)}`);
});

const read = (triggered_by: unknown) => runActionCommandSchema.safeParse({ ...ids, triggered_by });

test('who asked is read in any case, and what says nothing is nobody', (t) => {
  for (const word of ['manual', 'MANUAL', ' Manual ']) t.is(read(word).data?.triggered_by, 'manual');
  for (const word of ['', 'None', 'null', null, undefined]) t.is(read(word).data?.triggered_by, undefined);
});

test('any other word counts as a schedule, and is told', (t) => {
  for (const word of ['scheduled', 'robot', 'auto-retry', 7, {}, false]) {
    t.is(read(word).data?.triggered_by, 'auto', JSON.stringify(word));
    t.true(isUnknownTrigger(word));
  }
  for (const word of ['auto', ' Manual', '', 'None', null, undefined]) t.false(isUnknownTrigger(word));
});

test('overrides are an object or nothing', (t) => {
  for (const good of [null, undefined, {}, { a: 1 }])
    t.true(runActionCommandSchema.safeParse({ ...ids, config_overrides: good }).success);
  for (const bad of ['{}', 7, [], true])
    t.false(runActionCommandSchema.safeParse({ ...ids, config_overrides: bad }).success);
});

test('what we publish has every member, and is read back as it was meant', (t) => {
  const command = newCommand({
    eventId: 'e',
    at: Date.UTC(2026, 0, 1),
    integrationId: 'park',
    actionId: 'pull_events',
    triggeredBy: 'manual',
    selfTriggered: true,
  });
  t.deepEqual(command, {
    event_id: 'e',
    timestamp: '2026-01-01T00:00:00.000Z',
    schema_version: 'v1',
    event_type: 'RunIntegrationAction',
    payload: { self_triggered: true },
    integration_id: 'park',
    action_id: 'pull_events',
    config_overrides: null,
    triggered_by: 'manual',
    scheduled_at: '2026-01-01T00:00:00.000Z',
  });
  t.deepEqual<unknown, unknown>(runActionCommandSchema.parse(JSON.parse(JSON.stringify(command))), command);
  t.is(commandKey('park', 'pull_events'), 'park:pull_events');
});
