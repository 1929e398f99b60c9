import { fc, testProp } from '@fast-check/ava';
import { registry, RelayError, type ErrorCode } from '@ranger-relay/errors';
import test from 'ava';
import { ActionFailure, type ErrorType } from './action-failure.ts';
import { classifyFailure, failureText } from './classify.ts';

const siteError = (status: number) =>
  new RelayError('site_refused', { details: { target: 'GET h/p', status, reason: 'x' } });
const statusError = (code: number) => new RelayError('http_status', { details: { target: 'GET h/p', code } });
const withCode = (code: string) => Object.assign(new Error('x'), { code });

const rows: [string, unknown, boolean, ErrorType | null][] = [
  ['a refused connection', withCode('ECONNREFUSED'), true, 'connectivity'],
  ['a fetch that failed', new TypeError('fetch failed', { cause: withCode('ENOTFOUND') }), true, 'connectivity'],
  ['a time-out of the system', withCode('ETIMEDOUT'), true, 'timeout'],
  ['a time-out of fetch', new DOMException('late', 'TimeoutError'), true, 'timeout'],
  ['a connection error of ours', new RelayError('http_connect'), true, 'connectivity'],
  ['a time-out of ours', new RelayError('http_timeout'), true, 'timeout'],
  ['429', statusError(429), true, 'rate_limit'],
  ['500', statusError(500), true, 'bad_response'],
  ['503', statusError(503), true, 'bad_response'],
  ['504', statusError(504), true, 'timeout'],
  ['400', statusError(400), false, 'bad_response'],
  ['401', statusError(401), false, 'auth'],
  ['403', statusError(403), false, 'auth'],
  ['404', statusError(404), false, 'bad_response'],
  ['429 of another library', Object.assign(new Error('x'), { statusCode: 429 }), true, 'rate_limit'],
  ['422 in an answer of another library', { response: { status: 422 } }, false, 'bad_response'],
  ['a platform that is down', new RelayError('platform_unavailable'), true, 'connectivity'],
  ['a store that is down', new RelayError('kv_unavailable'), true, null],
  ['a bus that is down', new RelayError('bus_unavailable'), true, null],
  ['an item that is refused', new RelayError('item_refused'), false, 'bad_response'],
  ['a site that does not take the token', new RelayError('site_unauthorized'), false, 'auth'],
  ['a site that fails with 500', siteError(500), true, 'bad_response'],
  ['a site that refuses with 400', siteError(400), false, 'bad_response'],
  ['a configuration error', new RelayError('action_config_invalid'), false, null],
  ['a bug', new TypeError('x is not a function'), false, null],
  ['a bug in an envelope', new RelayError('internal', { cause: new TypeError('x') }), false, null],
  ['an unexpected error', new RelayError('internal'), false, null],
  ['undefined', undefined, false, null],
  ['null', null, false, null],
  ['a text', 'no', false, null],
  ['a number', 503, false, null],
  ['an object without a word', {}, false, null],
];
for (const [what, thrown, transient, type] of rows)
  test(`${what} is ${transient ? 'transient' : 'permanent'}, of type ${String(type)}`, (t) => {
    const failure = classifyFailure(thrown);
    t.is(failure.transient, transient);
    t.is(failure.type, type);
  });

test('the classification of the action itself wins', (t) => {
  const cause = statusError(400);
  const failure = classifyFailure(
    new ActionFailure('try later', {
      transient: true,
      type: 'auth',
      title: 'Vendor',
      response: { status: 403 },
      cause,
    }),
  );
  t.like(failure, { transient: true, type: 'auth', title: 'Authentication failed', status: 403, message: 'try later' });
  t.is(failureText(failure), 'Authentication failed — try later (HTTP 403)');
  t.is(classifyFailure(new ActionFailure('x', { transient: false })).title, 'The action failed');
});

test('the sentence has the status only when there is one', (t) => {
  t.is(failureText(classifyFailure(statusError(429))), 'Rate limited — GET h/p answered 429 (HTTP 429)');
  t.is(failureText(classifyFailure(undefined)), 'The action failed — undefined was thrown');
});

test('the request of an outgoing call is known by its target', (t) => {
  t.deepEqual(classifyFailure(statusError(429)).request, { verb: 'GET', url: 'h/p' });
  t.is(classifyFailure(new RelayError('kv_unavailable')).request, undefined);
});

test('every registered error is understood, and what asks for a retry is transient', (t) => {
  for (const code of Object.keys(registry) as ErrorCode[]) {
    const failure = classifyFailure(new RelayError(code));
    t.is(failure.transient, registry[code].next === 'retry' && code !== 'internal', code);
  }
});

testProp('anything can be thrown', [fc.anything()], (t, thrown) => {
  const failure = classifyFailure(thrown);
  t.is(typeof failureText(failure), 'string');
  t.is(typeof failure.transient, 'boolean');
});
