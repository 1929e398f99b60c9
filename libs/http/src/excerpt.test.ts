import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { excerptOf, secretsOf } from './excerpt.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('a body is shown on one line, cut to the length', (t) => {
  t.is(excerptOf(bytes('a\r\n\tb\u0000c '), 200, []), 'a b c');
  t.is(excerptOf(bytes('x'.repeat(300)), 10, []), `${'x'.repeat(9)}…`);
  t.is(excerptOf(bytes(''), 10, []), '');
});

test('members named like a secret are masked in JSON and outside of it', (t) => {
  t.is(
    excerptOf(bytes('{"message":"no","access_token":"abcdef"}'), 200, []),
    '{"message":"no","access_token":"**********"}',
  );
  t.is(excerptOf(bytes('half {"password": "abcdef", "x'), 200, []), 'half {"password": "**********", "x');
  t.is(excerptOf(bytes('api_key=abcdef&x=1'), 200, []), 'api_key=**********&x=1');
});

test('a very deep body is shown without a crash', (t) => {
  t.true(excerptOf(bytes(`${'['.repeat(30_000)}${']'.repeat(30_000)}`), 100, []).length <= 100);
});

test('only values of secret headers and form fields count as secrets', (t) => {
  const secrets = secretsOf({
    authorization: 'Bearer abcdef',
    apikey: 'kkkkk',
    accept: 'application/json',
    client_secret: 'ssss',
  });
  t.deepEqual(secrets, ['Bearer abcdef', 'abcdef', 'kkkkk', 'ssss']);
});

testProp(
  'no known secret is shown, whatever is around it, and the length holds',
  [fc.string(), fc.string(), fc.integer({ min: 1, max: 300 })],
  (t, before, after, max) => {
    const secret = 'k3y-of-the-park';
    const shown = excerptOf(bytes(`${before}${secret}${after}`), max, [secret]);
    t.false(shown.includes(secret));
    t.true(shown.length <= max);
    t.notRegex(shown, /[\n\r]/);
  },
);
