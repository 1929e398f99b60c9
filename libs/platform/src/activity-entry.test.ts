import { fc, testProp } from '@fast-check/ava';
import { activityEventSchema, activityEventTypeSchema, type ActivityEventType } from '@ranger-relay/contracts';
import test from 'ava';
import { writeEntry, type Payload } from './activity.ts';

const written = (type: ActivityEventType, payload: Payload) => {
  const subject = type.startsWith('IntegrationWebhook')
    ? { webhook_id: 'device_connector_webhook' }
    : { action_id: 'auth' };
  const text = writeEntry({ eventId: 'e', at: Date.UTC(2026, 0, 1), type, integrationId: 'park', subject, payload });
  return { text, event: activityEventSchema.parse(JSON.parse(text)) };
};

test('an entry has the envelope and the subject of its type', (t) => {
  t.deepEqual(written('IntegrationWebhookStarted', { config_data: { include_messages: true } }).event, {
    event_id: 'e',
    timestamp: '2026-01-01T00:00:00.000Z',
    schema_version: 'v1',
    event_type: 'IntegrationWebhookStarted',
    payload: {
      integration_id: 'park',
      webhook_id: 'device_connector_webhook',
      config_data: { include_messages: true },
    },
  });
  t.like(written('IntegrationActionStarted', {}).event.payload, { integration_id: 'park', action_id: 'auth' });
});

test('a result is an object or null, anything else is wrapped', (t) => {
  const results = [{ a: 1 }, null, undefined, 7, 'x', [1], false].map(
    (result) => written('IntegrationWebhookComplete', { result }).event.payload['result'],
  );
  t.deepEqual(results, [{ a: 1 }, null, null, { result: 7 }, { result: 'x' }, { result: [1] }, { result: false }]);
});

test('a failed webhook tells only the error, a failed action all of it', (t) => {
  const payload = { error: 'e'.repeat(300), error_traceback: 'trace', server_response_status: 500 };
  const webhook = written('IntegrationWebhookFailed', payload).event.payload;
  t.deepEqual(Object.keys(webhook).sort(), ['error', 'integration_id', 'webhook_id']);
  t.is((webhook['error'] as string).length, 200);
  t.like(written('IntegrationActionFailed', payload).event.payload, {
    error: 'e'.repeat(200),
    error_traceback: 'trace',
    server_response_status: 500,
  });
});

test('a custom entry has a title of at most 200 characters and an integer level', (t) => {
  const { payload } = written('IntegrationWebhookCustomLog', {
    title: 't'.repeat(500),
    level: 30,
    data: { imei: '1' },
  }).event;
  t.is(payload.title?.length, 200);
  t.is(payload.level, 30);
  t.deepEqual(payload['data'], { imei: '1' });
  for (const level of [undefined, '30', 25, null, 30.5])
    t.is(written('IntegrationWebhookCustomLog', { title: 'x', level }).event.payload.level, 20);
});

test('secrets never get into an entry', (t) => {
  const secret = 'c4n4ry';
  const payload = {
    config_data: { username: 'u', password: secret, nested: [{ api_key: secret, privateToken: secret }] },
    request_url: `https://u:${secret}@vendor.example/x?apikey=${secret}`,
    error: `GET https://vendor.example/x?token=${secret} failed`,
    data: { Authorization: secret, client_secret: secret, credentials: secret },
    title: `https://u:${secret}@vendor.example`,
  };
  for (const type of activityEventTypeSchema.options) t.false(written(type, payload).text.includes(secret), type);
});

test('an entry that is too long keeps what identifies it', (t) => {
  const data = { text: 'x'.repeat(100_000) };
  const custom = written('IntegrationActionCustomLog', { title: 'SOS', level: 40, data });
  t.like(custom.event.payload, { title: 'SOS', level: 40, data: { too_long: true } });
  t.deepEqual(written('IntegrationActionComplete', { result: data }).event.payload['result'], { too_long: true });
  const failed = written('IntegrationActionFailed', { error: 'why', error_traceback: data.text }).event.payload;
  t.like(failed, { integration_id: 'park', error: 'why' });
});

testProp(
  'any payload makes an entry that the platform takes, of bounded length',
  [fc.constantFrom(...activityEventTypeSchema.options), fc.dictionary(fc.string(), fc.jsonValue())],
  (t, type, payload) => {
    const { text, event } = written(type, payload);
    t.is(event.event_type, type);
    t.true(text.length <= 66_000);
  },
);

test('no text and no name of an entry holds what a database refuses, and titles are cut between code points', (t) => {
  const { event, text } = written('IntegrationActionCustomLog', {
    title: `${'x'.repeat(199)}😀 and more`,
    data: { 'a\u0000': 'b\uD83D\u0007' },
  });
  t.is(event.payload.title, `${'x'.repeat(199)}😀`);
  t.deepEqual(event.payload['data'], { a: 'b\uFFFD' });
  t.notRegex(text, /\\u(?:0|d)/);
});
