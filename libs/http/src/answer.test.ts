import { fc, testProp } from '@fast-check/ava';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { excerptOf, makeAnswer, secretsOf } from './answer.ts';

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

const answerOf = (body: string | Uint8Array) =>
  makeAnswer({
    status: 200,
    headers: { 'content-type': 'application/json', 'set-cookie': ['a', 'b'], absent: undefined },
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
    target: 'GET host/path',
    retryAfterMs: undefined,
    secrets: ['s3cr3t'],
  });

test('headers are texts, several of a name joined', (t) => {
  t.deepEqual(answerOf('').headers, { 'content-type': 'application/json', 'set-cookie': 'a, b' });
});

test('JSON is read, also after a byte order mark', (t) => {
  t.deepEqual(answerOf('{"a":[1,null,"ä"]}').json(), { a: [1, null, 'ä'] });
  t.deepEqual(answerOf('\u{FEFF}[]').json(), []);
  t.is(answerOf('null').json(), null);
});

test('what is no JSON is told by length alone: a 200 that cannot be read may have been carried out', (t) => {
  for (const body of ['', '{"half":', 's3cr3t', new Uint8Array([0x22, 0xff, 0x22])]) {
    const error = t.throws(() => answerOf(body).json(), { instanceOf: RelayError });
    t.true(isRelayError(error, 'http_body_unreadable'));
    t.true(error.ambiguous);
    t.false(error.message.includes('s3cr3t'));
    t.regex(error.message, /GET host\/path/);
  }
});

test('the excerpt is 200 characters unless asked otherwise, and hides the known secrets', (t) => {
  t.is(answerOf('x'.repeat(500)).excerpt().length, 200);
  t.is(answerOf('x'.repeat(500)).excerpt(50).length, 50);
  t.is(answerOf('the key s3cr3t is unknown').excerpt(), 'the key ********** is unknown');
});
