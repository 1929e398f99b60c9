import { isRelayError, RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { makeAnswer } from './answer.ts';

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
