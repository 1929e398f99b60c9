import { fc, testProp } from '@fast-check/ava';
import { isRelayError, RelayError, type ErrorCode } from '@ranger-relay/errors';
import { httpAnswer } from '@ranger-relay/http/testing';
import test from 'ava';
import { classify, noAnswer, worthAnotherTry } from './classify.ts';

const codeFor = (status: number, body: unknown = ''): string => {
  const verdict = classify(httpAnswer(status, body));
  return verdict.kind === 'failed' ? verdict.error.code : verdict.kind;
};

const table: [number, string][] = [
  [200, 'ok'],
  [204, 'ok'],
  [302, 'stale_token'],
  [307, 'stale_token'],
  [401, 'stale_token'],
  [403, 'platform_forbidden'],
  [404, 'platform_unavailable'],
  [400, 'http_status'],
  [418, 'http_status'],
  [408, 'platform_unavailable'],
  [429, 'platform_rate_limited'],
  [500, 'platform_unavailable'],
  [503, 'platform_unavailable'],
];
for (const [status, code] of table) test(`${status} means ${code}`, (t) => t.is(codeFor(status), code));

test('only the platform’s own 404 says that something is absent, not a page of something in between', (t) => {
  t.is(codeFor(404, { detail: 'Not found.' }), 'absent');
  t.is(codeFor(404, '<html>no backend</html>'), 'platform_unavailable');
  for (const body of ['', {}, [], { detail: 7 }]) t.is(codeFor(404, body), 'platform_unavailable');
  t.is(codeFor(404, { message: 'no Route matched with those values' }), 'platform_unavailable');
  t.is(codeFor(404, '{"detail":"cut o'), 'platform_unavailable');
});

test('the wait that was asked for goes along', (t) => {
  for (const status of [429, 503]) {
    const verdict = classify(httpAnswer(status, '', { retryAfterMs: 7_000 }));
    t.is(verdict.kind === 'failed' && verdict.error.retryAfterMs, 7_000);
  }
});

test('a call without an answer is the platform’s unavailability; ambiguous only when it stores', (t) => {
  const timeout = new RelayError('http_timeout', {
    details: { target: 'POST x/y', phase: 'total', ms: 1 },
    ambiguous: true,
  });
  const read = noAnswer(timeout);
  t.true(isRelayError(read, 'platform_unavailable'));
  t.regex(read.message, /POST x\/y/);
  t.false(read.ambiguous);
  t.true(noAnswer(timeout, true).ambiguous);
});

test('what is the platform’s already stays as it is', (t) => {
  const refused = new RelayError('platform_token_refused', { details: { reason: 'x' } });
  t.is(noAnswer(refused), refused);
});

test('an unexpected error stays an unexpected error', (t) => t.is(noAnswer(new TypeError('x')).code, 'internal'));

const again: [ErrorCode, boolean][] = [
  ['platform_unavailable', true],
  ['platform_rate_limited', true],
  ['platform_token_refused', false],
  ['platform_forbidden', false],
  ['http_status', false],
  ['integration_gone', false],
];
for (const [code, worth] of again)
  test(`${code} is ${worth ? '' : 'not '}worth another try at once`, (t) =>
    t.is(worthAnotherTry(new RelayError(code)), worth));

testProp(
  'every status and body means something',
  [fc.integer({ min: 0, max: 1_100 }), fc.string()],
  (t, status, body) => {
    const verdict = classify(httpAnswer(status, body));
    t.true(['ok', 'stale_token', 'absent', 'failed'].includes(verdict.kind));
    if (verdict.kind === 'failed') t.true(verdict.error.next === 'retry');
  },
);
