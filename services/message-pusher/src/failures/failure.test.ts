import { type ErrorCode, registry, RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { actionFailureOf, type Failure, failureKind, failureSentence } from './failure.ts';

const error = new RelayError('vendor_refused', { details: { reason: 'code 4' } });
const url = 'https://host/IPCInbound/V1/Messaging.svc/Message';
const answered: Failure = { error, status: 422, body: '{"Code":4}', url };
const silent: Failure = { error, status: null, body: '', url: undefined };
const told = { transient: true, deliveryId: 'd1', recipients: ['1'], deadLettered: false };

test('the sentence is title, message and status', (t) => {
  t.is(failureSentence(answered), 'Bad response — The vendor refuses the call: code 4 (HTTP 422)');
  t.is(failureSentence(silent), 'Bad response — The vendor refuses the call: code 4');
});

test('the failure names call and answer when they are known, and which texts, never what they say', (t) => {
  const { message, facts } = actionFailureOf(answered, told);
  t.is(message, error.message);
  t.deepEqual(facts, {
    transient: true,
    title: 'Bad response',
    type: 'bad_response',
    deadLettered: false,
    cause: error,
    request: { verb: 'POST', url, data: { delivery_id: 'd1', recipients: ['1'] } },
    response: { status: 422, body: '{"Code":4}' },
  });
  const { facts: fewer } = actionFailureOf(silent, told);
  t.deepEqual(fewer.request, { data: { delivery_id: 'd1', recipients: ['1'] } });
  t.false('response' in fewer);
});

test('the vendor’s wait, and the answer of a push that is done with, are handed on', (t) => {
  const throttled = { ...silent, error: new RelayError('vendor_throttled', { retryAfterMs: 5_000 }) };
  const { facts } = actionFailureOf(throttled, { ...told, result: { status: 'failed' }, deadLettered: true });
  t.like(facts, { retryAfterMs: 5_000, result: { status: 'failed' }, deadLettered: true });
});

const types: readonly (readonly [ErrorCode, string | undefined])[] = [
  ['vendor_auth_refused', 'auth'],
  ['vendor_unreachable', 'connectivity'],
  ['vendor_web_page', 'bad_response'],
  ['vendor_answer_lost', 'timeout'],
  ['vendor_throttled', 'rate_limit'],
  ['vendor_internal', 'bad_response'],
  ['vendor_refused', 'bad_response'],
  ['text_invalid', undefined],
  ['push_unconfigured', undefined],
  ['kv_unavailable', undefined],
];
for (const [code, type] of types)
  test(`${code} has error_type ${type ?? 'null'}`, (t) => {
    const { facts } = actionFailureOf({ ...silent, error: new RelayError(code) }, told);
    t.is<unknown, unknown>(facts.type, type);
  });

test('every failure has a title', (t) => {
  for (const code of Object.keys(registry) as ErrorCode[]) t.true(failureKind({ code }).title.length > 0, code);
});
