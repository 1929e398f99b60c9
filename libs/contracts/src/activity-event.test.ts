import test from 'ava';
import {
  activityEventSchema,
  activityEventTypeSchema,
  activityLevel,
  configEventSchema,
  configEventTypeSchema,
} from './index.ts';

const entry = {
  event_id: '0b0c3c5e-0000-4000-8000-000000000002',
  timestamp: '2024-04-23T12:49:03Z',
  schema_version: 'v1',
  event_type: 'IntegrationWebhookComplete',
  payload: {
    integration_id: '5e0c3c5e-0000-4000-8000-000000000001',
    webhook_id: 'device_connector_webhook',
    result: { total_observations: 2, total_messages: 1 },
  },
};

test('an entry keeps the members of its payload that the schema does not name', (t) => {
  t.deepEqual<unknown, unknown>(activityEventSchema.parse(entry), entry);
});

test('every type of actions and webhooks is known, and no other: the platform drops those', (t) => {
  const kinds = ['Started', 'Complete', 'Failed', 'CustomLog'];
  const expected = ['IntegrationAction', 'IntegrationWebhook'].flatMap((what) => kinds.map((kind) => what + kind));
  t.deepEqual<string[], string[]>(activityEventTypeSchema.options.toSorted(), expected.toSorted());
  t.false(activityEventSchema.safeParse({ ...entry, event_type: 'IntegrationActionOther' }).success);
  t.false(activityEventSchema.safeParse({ ...entry, schema_version: 'v2' }).success);
});

test('levels are the integers the platform counts', (t) => {
  t.deepEqual({ ...activityLevel }, { debug: 10, info: 20, warning: 30, error: 40 });
  for (const level of Object.values(activityLevel))
    t.true(activityEventSchema.safeParse({ ...entry, payload: { ...entry.payload, level } }).success);
  for (const level of [0, 25, '40', 'ERROR'])
    t.false(activityEventSchema.safeParse({ ...entry, payload: { ...entry.payload, level } }).success, String(level));
});

const titled = (length: number): object => ({
  ...entry,
  payload: { ...entry.payload, title: 'x'.repeat(length) },
});

test('a title has at most 200 characters', (t) => {
  t.true(activityEventSchema.safeParse(titled(200)).success);
  t.false(activityEventSchema.safeParse(titled(201)).success);
});

const change = {
  event_id: '0b0c3c5e-0000-4000-8000-000000000003',
  timestamp: '2025-01-07 12:31:56.302384+00:00',
  schema_version: 'v1',
  event_type: 'ActionConfigUpdated',
  payload: { id: 'a', alt_id: 'pull_events', integration_id: 'b', changes: { data: { any: [1] } } },
};

test('a configuration event of every type passes with its payload whole, in either form of time', (t) => {
  for (const event_type of configEventTypeSchema.options)
    t.deepEqual<unknown, unknown>(configEventSchema.parse({ ...change, event_type }), { ...change, event_type });
  t.true(configEventSchema.safeParse({ ...change, timestamp: '2025-01-07T12:31:56Z' }).success);
  t.is(configEventTypeSchema.options.length, 6);
});

test('a configuration event of another type, version or without payload is refused', (t) => {
  for (const other of [
    { event_type: 'ActionConfigOther' },
    { schema_version: 'v2' },
    { payload: null },
    { payload: 'x' },
  ])
    t.false(configEventSchema.safeParse({ ...change, ...other }).success, JSON.stringify(other));
});
