import { fc, testProp } from '@fast-check/ava';
import { activityEventSchema, type ActivityKind, type ActivityPayloads } from '@ranger-relay/contracts';
import test from 'ava';
import { type EntryDraft, writeEntry } from './activity.ts';

const action = { action_id: 'auth' };
const webhook = { webhook_id: 'device_connector_webhook' };

const written = <K extends ActivityKind>(subject: EntryDraft['subject'], kind: K, payload: ActivityPayloads[K]) => {
  const report = { kind, payload } as Pick<EntryDraft, 'kind' | 'payload'>;
  const draft = { ...report, eventId: 'e', at: Date.UTC(2026, 0, 1), integrationId: 'park', subject } as EntryDraft;
  const text = writeEntry(draft);
  return { text, event: activityEventSchema.parse(JSON.parse(text)) };
};

test('an entry has the envelope and the subject of its type', (t) => {
  t.deepEqual(written(webhook, 'Started', { config_data: { include_messages: true } }).event, {
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
  const { event } = written(action, 'Started', { config_data: null });
  t.is(event.event_type, 'IntegrationActionStarted');
  t.deepEqual(event.payload, { integration_id: 'park', action_id: 'auth', config_data: {} });
});

test('a result is an object or null, anything else is wrapped', (t) => {
  const results = [{ a: 1 }, null, undefined, 7, 'x', [1], false].map(
    (result) => written(webhook, 'Complete', { config_data: {}, result }).event.payload.result,
  );
  t.deepEqual(results, [{ a: 1 }, null, null, { result: 7 }, { result: 'x' }, { result: [1] }, { result: false }]);
});

test('a failed webhook tells only the error, a failed action all of it', (t) => {
  const payload = { config_data: {}, error: 'e'.repeat(300), error_traceback: 'trace', server_response_status: 500 };
  const failed = written(webhook, 'Failed', payload).event.payload;
  t.deepEqual(Object.keys(failed).sort(), ['error', 'integration_id', 'webhook_id']);
  t.is(failed.error?.length, 200);
  t.like(written(action, 'Failed', payload).event.payload, {
    error: 'e'.repeat(200),
    error_traceback: 'trace',
    server_response_status: 500,
  });
});

test('an error that is cut keeps its class at the front and the status at the end', (t) => {
  const error = `Bad response — ${'x'.repeat(400)} (HTTP 502)`;
  const cut = written(action, 'Failed', { config_data: {}, error }).event.payload.error ?? '';
  t.is(cut.length, 200);
  t.regex(cut, /^Bad response — x+ \(HTTP 502\)$/);
});

test('a custom entry has a title of at most 200 characters', (t) => {
  const data = { imei: '1' };
  const { payload } = written(webhook, 'CustomLog', { title: 't'.repeat(500), level: 30, data }).event;
  t.is(payload.title?.length, 200);
  t.is(payload.level, 30);
  t.deepEqual(payload.data, data);
});

const junk = fc.jsonValue({ maxDepth: 3 });
const text = fc.string();
const payloads = fc.oneof(
  fc.record({ kind: fc.constant('Started' as const), payload: fc.record({ config_data: junk }) }),
  fc.record({ kind: fc.constant('Complete' as const), payload: fc.record({ config_data: junk, result: junk }) }),
  fc.record({
    kind: fc.constant('Failed' as const),
    payload: fc.record(
      { config_data: junk, error: text, error_traceback: text, request_data: text, server_response_body: text },
      { requiredKeys: ['config_data', 'error'] },
    ),
  }),
  fc.record({
    kind: fc.constant('CustomLog' as const),
    payload: fc.record({ title: text, level: fc.constantFrom(10, 20, 30, 40), data: junk }),
  }),
);

test('secrets never get into an entry', (t) => {
  const secret = 'c4n4ry';
  const config_data = { username: 'u', password: secret, nested: [{ api_key: secret, privateToken: secret }] };
  const data = { Authorization: secret, client_secret: secret, credentials: secret };
  const title = `https://u:${secret}@vendor.example`;
  const error = `GET https://vendor.example/x?token=${secret} failed`;
  for (const subject of [webhook, action]) {
    const entries = [
      written(subject, 'Started', { config_data }),
      written(subject, 'Complete', { config_data, result: data }),
      written(subject, 'Failed', { config_data, error, request_url: `https://u:${secret}@h/x?apikey=${secret}` }),
      written(subject, 'CustomLog', { title, level: 20, data }),
    ];
    for (const entry of entries) t.false(entry.text.includes(secret), entry.event.event_type);
  }
});

test('an entry that is too long keeps what identifies it, and its types', (t) => {
  const long = { text: 'x'.repeat(100_000) };
  const cut = { too_long: true };
  const custom = written(action, 'CustomLog', { title: 'SOS', level: 40, data: long }).event.payload;
  t.like(custom, { title: 'SOS', level: 40, data: cut });
  const complete = written(action, 'Complete', { config_data: long, result: long }).event.payload;
  t.deepEqual(complete, { integration_id: 'park', action_id: 'auth', config_data: cut, result: cut });
  const failed = { config_data: {}, error: 'why', error_traceback: long.text, server_response_status: 500 };
  t.deepEqual(written(action, 'Failed', failed).event.payload, {
    integration_id: 'park',
    action_id: 'auth',
    config_data: cut,
    error: 'why',
    server_response_status: 500,
  });
});

testProp(
  'any payload makes an entry that the platform takes, of bounded length',
  [fc.constantFrom(webhook, action), payloads],
  (t, subject, { kind, payload }) => {
    const entry = written(subject, kind, payload as never);
    t.true(entry.event.event_type.endsWith(kind));
    t.true(entry.text.length <= 66_000);
  },
);

test('no text and no name of an entry holds what a database refuses, and titles are cut between code points', (t) => {
  const { event, text: json } = written(action, 'CustomLog', {
    title: `${'x'.repeat(199)}😀 and more`,
    level: 20,
    data: { 'a\u0000': 'b\uD83D\u0007' },
  });
  t.is(event.payload.title, `${'x'.repeat(199)}😀`);
  t.deepEqual(event.payload.data, { a: 'b\uFFFD' });
  t.notRegex(json, /\\u(?:0|d)/);
});
