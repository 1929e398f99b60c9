import { RelayError, registry, type ErrorCode } from '@ranger-relay/errors';
import test from 'ava';
import { failedBody, failedPayload, failureSentence, type Failure } from './failed-entry.ts';
import { failureKind } from './kinds.ts';

const error = new RelayError('vendor_refused', { details: { reason: 'code 4' } });
const url = 'https://host/IPCInbound/V1/Messaging.svc/Message';
const answered: Failure = { error, status: 422, body: '{"Code":4}', url };
const silent: Failure = { error, status: null, body: '', url: undefined };
const which = { deliveryId: 'd1', recipients: ['1'] };

test('the sentence is title, message and status', (t) => {
  t.is(failureSentence(answered), 'Refused - The vendor refuses the call: code 4 (HTTP 422)');
  t.is(failureSentence(silent), 'Refused - The vendor refuses the call: code 4');
});

test('the payload names call and answer when they are known, and which texts, never what they say', (t) => {
  const payload = failedPayload(answered, which);
  t.deepEqual(payload, {
    error: 'Refused - The vendor refuses the call: code 4 (HTTP 422)',
    error_traceback: error.stack ?? '',
    request_verb: 'POST',
    request_url: url,
    request_data: { delivery_id: 'd1', recipients: ['1'] },
    server_response_status: 422,
    server_response_body: '{"Code":4}',
  });
  t.deepEqual(Object.keys(failedPayload(silent, which)), ['error', 'error_traceback', 'request_data']);
});

const types: readonly (readonly [ErrorCode, string | null])[] = [
  ['vendor_auth_refused', 'auth'],
  ['vendor_unreachable', 'connectivity'],
  ['vendor_answer_lost', 'timeout'],
  ['vendor_throttled', 'rate_limit'],
  ['vendor_internal', 'bad_response'],
  ['vendor_refused', 'bad_response'],
  ['text_invalid', null],
  ['push_unconfigured', null],
  ['kv_unavailable', null],
];
for (const [code, type] of types)
  test(`${code} has error_type ${type}`, (t) => {
    const failure = { ...silent, error: new RelayError(code) };
    t.is<unknown, unknown>(failedBody(failure, failedPayload(failure, which)).detail.error_type, type);
  });

test('every failure has a title', (t) => {
  for (const code of Object.keys(registry) as ErrorCode[]) t.true(failureKind({ code }).title.length > 0, code);
});
