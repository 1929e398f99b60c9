import { inspect } from 'node:util';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { isRelayError, registry, RelayError, toRelayError, type ErrorCode } from './index.ts';

const codes = Object.keys(registry) as ErrorCode[];

test('the message is the text of the entry, filled from the details', (t) => {
  const error = new RelayError('record_too_large', { details: { bytes: 9, limit: 5, topic: 'source-events' } });
  t.is(error.message, 'A record of 9 bytes is over the limit of 5 bytes of topic source-events');
  t.is(error.name, 'RelayError');
  t.is(error.status, 413);
  t.is(error.next, 'dead');
});

test('a place without a detail shows its name, so that the sentence stays readable', (t) => {
  t.is(new RelayError('kv_unavailable').message, 'The key-value store does not answer: reason');
});

test('details named like members of every object are not taken from them', (t) => {
  const error = new RelayError('config_invalid', {
    details: { variable: 'PORT', problem: '{constructor} {variable}' },
  });
  t.is(error.message, 'PORT {constructor} {variable}');
});

test('retry hints, ambiguity and an overriding consequence are carried', (t) => {
  const cause = new Error('socket');
  const error = new RelayError('http_status', { retryAfterMs: 1_500, ambiguous: true, next: 'dead', cause });
  t.is(error.retryAfterMs, 1_500);
  t.true(error.ambiguous);
  t.is(error.next, 'dead');
  t.is(error.cause, cause);
});

test('without options nothing is promised', (t) => {
  const error = new RelayError('http_status');
  t.is(error.retryAfterMs, undefined);
  t.false(error.ambiguous);
  t.false('cause' in error);
  t.deepEqual(error.details, {});
});

test('a failure of one integration knows that it is confined', (t) => {
  t.true(new RelayError('api_key_refused').confined);
  t.false(new RelayError('platform_unavailable').confined);
});

test('narrowing takes any code, or one of those named', (t) => {
  const error: unknown = new RelayError('bad_time');
  t.true(isRelayError(error));
  t.true(isRelayError(error, 'internal', 'bad_time'));
  t.false(isRelayError(error, 'internal'));
  for (const other of [new Error('x'), { code: 'bad_time' }, null, undefined, 'bad_time'])
    t.false(isRelayError(other), inspect(other));
});

test('anything that was thrown becomes a registered error, itself or as the cause', (t) => {
  const known = new RelayError('bad_time');
  t.is(toRelayError(known), known);
  for (const thrown of [new TypeError('x'), 'text', undefined, null, 7]) {
    const error = toRelayError(thrown);
    t.is(error.code, 'internal');
    t.is(error.cause, thrown === undefined ? undefined : thrown);
    t.is(error.message, 'An unexpected error occurred');
  }
});

testProp(
  'every place of every text is filled, whatever the details hold',
  [fc.constantFrom(...codes), fc.string()],
  (t, code, value) => {
    const names = [...registry[code].text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
    const details = Object.fromEntries(names.map((name) => [name, value]));
    const expected = registry[code].text.split(/\{\w+\}/).join(value);
    t.is(new RelayError(code, { details }).message, expected);
  },
);

test('what databases refuse enters a message as an escape, so that nothing of it is missing', (t) => {
  const error = new RelayError('config_invalid', { details: { variable: 'PORT', problem: 'is \u0000a\uD83D' } });
  t.is(error.message, String.raw`PORT is \u{0}a\u{d83d}`);
});
