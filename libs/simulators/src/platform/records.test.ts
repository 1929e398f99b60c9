import test from 'ava';
import { activityProblems, commandProblems } from './records.ts';

const id = 'aaaaaaaa-0000-4000-8000-000000000000';

const entry = (event_type: string, payload: object) => ({
  event_id: id,
  timestamp: '2026-01-01T00:00:00.000Z',
  schema_version: 'v1',
  event_type,
  payload: { integration_id: id, ...payload },
});

const failed = { action_id: 'push_messages', config_data: {}, error: 'The action failed — no' };
const call = {
  error_traceback: null,
  request_verb: 'POST',
  request_url: 'https://host/x',
  request_data: '{"n":1}',
  server_response_status: 401,
  server_response_body: '',
  error: 'Authentication failed — no (HTTP 401)',
};

const good: readonly (readonly [string, object])[] = [
  ['IntegrationActionStarted', { action_id: 'auth', config_data: { a: 1 } }],
  ['IntegrationActionComplete', { action_id: 'auth', config_data: {}, result: null }],
  ['IntegrationActionFailed', failed],
  ['IntegrationActionFailed', { ...failed, ...call, more: [] }],
  ['IntegrationActionCustomLog', { action_id: 'auth', title: 'SOS', level: 30, data: {} }],
  ['IntegrationWebhookComplete', { webhook_id: 'x_webhook', config_data: {}, result: { a: 1 } }],
  ['IntegrationWebhookFailed', { webhook_id: 'x_webhook', error: 'no' }],
];
for (const [type, payload] of good)
  test(`the platform takes ${type} ${JSON.stringify(payload)}`, (t) => {
    t.deepEqual(activityProblems(entry(type, payload)), []);
  });

const bad: readonly (readonly [string, object, string])[] = [
  ['IntegrationActionStarted', { action_id: 'auth' }, 'config_data'],
  ['IntegrationActionStarted', { action_id: 'auth', config_data: [] }, 'config_data'],
  ['IntegrationActionStarted', { action_id: 'auth', config_data: {}, integration_id: 'park' }, 'integration_id'],
  ['IntegrationActionComplete', { action_id: 'auth', config_data: {}, result: [1] }, 'result'],
  ['IntegrationActionFailed', { ...failed, request_data: { n: 1 } }, 'request_data'],
  ['IntegrationActionFailed', { ...failed, server_response_body: { n: 1 } }, 'server_response_body'],
  ['IntegrationActionFailed', { ...failed, server_response_status: '401' }, 'server_response_status'],
  ['IntegrationActionFailed', { ...failed, error: null }, 'error'],
  ['IntegrationActionFailed', { ...failed, ...call, error: 'Authentication failed — no' }, 'error'],
  ['IntegrationActionFailed', { ...failed, ...call, error: 'Vendor — no (HTTP 401)' }, 'error'],
  ['IntegrationActionCustomLog', { action_id: 'auth', title: 'x', level: '30' }, 'level'],
  ['IntegrationActionCustomLog', { action_id: 'auth', title: 'x'.repeat(201), level: 30 }, 'title'],
  ['IntegrationWebhookStarted', { action_id: 'auth', config_data: {} }, 'webhook_id'],
  ['SomethingElse', {}, 'event_type'],
];
for (const [type, payload, member] of bad)
  test(`the platform drops ${type} for ${member}: ${JSON.stringify(payload).slice(0, 150)}`, (t) => {
    const [problem = '', ...more] = activityProblems(entry(type, payload));
    t.deepEqual(more, []);
    t.true(problem.startsWith(`${member}: `), problem);
  });

test('the envelope of an entry is checked, whatever it is', (t) => {
  for (const value of [
    null,
    'x',
    [],
    { ...entry('IntegrationActionFailed', failed), timestamp: '2026-01-01T00:00:00' },
  ])
    t.not(activityProblems(value).length, 0, JSON.stringify(value));
});

test('a command names an integration and an action in the types of its model', (t) => {
  const command = {
    ...entry('RunIntegrationAction', {}),
    integration_id: id,
    action_id: 'pull_events',
    config_overrides: null,
    triggered_by: 'auto',
    scheduled_at: '2026-01-01T00:00:00.000Z',
  };
  t.deepEqual(commandProblems(command), []);
  for (const wrong of [
    { integration_id: 'park' },
    { triggered_by: 'tick' },
    { config_overrides: [] },
    { payload: null },
  ])
    t.is(commandProblems({ ...command, ...wrong }).length, 1, JSON.stringify(wrong));
});
