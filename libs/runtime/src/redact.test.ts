import { RelayError } from '@ranger-relay/errors';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { mask, redact, redactText } from './index.ts';

const canary = 'CANARY7f3a';
const shown = (value: unknown): string => JSON.stringify(value);

const secretNames = [
  'password',
  'PASSWD',
  'client_secret',
  'clientSecret',
  'access_token',
  'X-Outbound-Auth-Token',
  'api_key',
  'apikey',
  'apiKey',
  'x-api-key',
  'private_key',
  'Authorization',
  'credentials',
  'set-cookie',
];

test('members whose name says secret are masked, whatever they hold', (t) => {
  for (const name of secretNames)
    for (const value of [canary, 12_345, [canary], { deep: canary }])
      t.deepEqual<unknown, unknown>(redact({ [name]: value }), { [name]: mask }, name);
});

test('that a secret is absent, or whether there is one, may be seen', (t) => {
  const value = { token: null, has_token: true, secret: undefined };
  t.deepEqual(redact(value), value);
});

test('user info and query of addresses are masked, the rest of the text stays', (t) => {
  t.is(redactText('GET https://h.example/p failed'), 'GET https://h.example/p failed');
  t.is(redactText(`https://u:${canary}@h.example/p?a=${canary}#f now`), `https://${mask}@h.example/p?${mask}#f now`);
  t.is(redactText(`https://u:${canary}@${canary}@h/p`), `https://${mask}@h/p`);
  t.is(redactText(`redis://:${canary}@host:6379/0`), `redis://${mask}@host:6379/0`);
  t.is(redactText('a@b.example and what? this'), 'a@b.example and what? this');
});

test('texts are cut where a limit is given, and say how long they were', (t) => {
  t.is(redact({ a: 'x'.repeat(11) }, 10).a, `${'x'.repeat(10)}… (11 characters)`);
  t.is(redact({ a: 'x'.repeat(10) }, 10).a, 'x'.repeat(10));
  t.is(redact({ a: 'x'.repeat(100_000) }).a.length, 100_000);
});

test('an error becomes its facts: no members of its own, causes too', (t) => {
  const cause = Object.assign(new TypeError(`at https://h/?t=${canary}`), { options: { body: canary } });
  const error = new RelayError('http_connect', { cause, details: { target: 'GET h/p', reason: 'x', token: canary } });
  const facts = redact<unknown>({ failure: error }) as { failure: Record<string, unknown> };
  t.false(shown(facts).includes(canary));
  t.like(facts.failure, { type: 'RelayError', code: 'http_connect', message: 'No connection for GET h/p (x)' });
  t.like(facts.failure['cause'], { type: 'TypeError', message: `at https://h/?${mask}` });
});

test('dates and addresses keep their text, bytes become their number', (t) => {
  const value = { at: new Date(0), url: new URL(`https://h/?t=${canary}`), body: Buffer.from(canary) };
  t.deepEqual<unknown, unknown>(redact(value), {
    at: '1970-01-01T00:00:00.000Z',
    url: `https://h/?${mask}`,
    body: '[10 bytes]',
  });
});

test('depth, members, lists and the work on objects that refer to each other are bounded', (t) => {
  let deep: unknown = canary;
  for (let i = 0; i < 20_000; i += 1) deep = { deep };
  t.true(shown(redact(deep)).includes('[deep]'));
  t.is(redact(Array.from({ length: 1_000 }, () => 0)).length, 100);
  t.is(Object.keys(redact(Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, 0])))).length, 100);
  const web: unknown[] = [];
  for (let i = 0; i < 100; i += 1) web.push(web);
  t.true(shown(redact(web)).length < 1_000_000);
});

test('the original is not changed', (t) => {
  const value = { token: canary, list: [{ url: `https://h/?q=${canary}` }] };
  redact(value);
  t.deepEqual(value, { token: canary, list: [{ url: `https://h/?q=${canary}` }] });
});

const json = fc.jsonValue({ maxDepth: 4 });

testProp(
  'a canary under a secret name is never in the copy, wherever it lies',
  [json, fc.constantFrom(...secretNames)],
  (t, value, name) => {
    const hidden = { around: [{ [name]: { any: [canary, value] }, beside: value }] };
    t.false(shown(redact(hidden)).includes(canary));
  },
);

const word = fc.stringMatching(/^[a-z0-9%._~-]{1,12}$/);

testProp(
  'a canary in user info or query is never in the copy',
  [word, word, word, fc.string()],
  (t, user, host, path, around) => {
    const text = `${around} https://${user}:${canary}@${host}/${path}?${path}=${canary}&b=${canary} ${around}`;
    t.false(redactText(text).includes(canary));
    t.true(redactText(text).includes(host));
  },
);

const plainJson = fc.jsonValue({ maxDepth: 3, noUnicodeString: true }).filter((value) => {
  const text = shown(value);
  return !text.includes('://') && !/passw|secret|token|key|auth|credential|cookie/i.test(text);
});

testProp('what holds no secret passes unchanged', [plainJson], (t, value) => {
  t.deepEqual(JSON.parse(shown(redact(value))), JSON.parse(shown(value)));
});

test('a web token is masked wherever it stands, and whatever the member is called that a gateway puts one into', (t) => {
  const token = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
  t.is(redactText(`user=${token}; ok`), `user=${mask}; ok`);
  t.deepEqual(redact({ 'x-jwt-assertion': 'opaque', note: token }), { 'x-jwt-assertion': mask, note: mask });
  t.is(redactText('eyJust a word. Of three. parts'), 'eyJust a word. Of three. parts');
});
