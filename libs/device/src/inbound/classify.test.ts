import { fc, testProp } from '@fast-check/ava';
import { type ErrorCode, RelayError } from '@ranger-relay/errors';
import { mask } from '@ranger-relay/runtime';
import test from 'ava';
import { vendorCode, withoutEchoes } from './classify.ts';
import type { InboundFailure } from './outcome.ts';
import { failureIn, outcomeOf, type Reply } from './test/vendor.ts';

const permanent = ['permanent', 'vendor_refused'] as const;
const rows: readonly (readonly [code: number, kind: string, error: ErrorCode, meaning: string])[] = [
  [1, 'transient', 'vendor_internal', 'internal error'],
  [2, 'transient', 'vendor_throttled', 'too many requests'],
  [3, 'transient', 'vendor_auth_refused', 'authentication'],
  [4, ...permanent, 'unknown device'],
  [5, ...permanent, 'message length'],
  [6, 'transient', 'vendor_refused', 'timestamp'],
  [7, ...permanent, 'sender'],
  [8, ...permanent, 'altitude'],
  [9, ...permanent, 'speed'],
  [10, ...permanent, 'course'],
  [11, ...permanent, 'position'],
  [12, ...permanent, 'interval'],
  [13, ...permanent, 'location type'],
  [14, ...permanent, 'label'],
  [15, ...permanent, 'emergency action'],
  [16, ...permanent, 'binary type'],
  [17, ...permanent, 'payload'],
];

/** Behind these the vendor may have taken the text: the status says so, or a gateway did not wait for it. */
const perhapsTaken = [200, 202, 307, 504];

for (const [code, usual, error, meaning] of rows)
  for (const status of [403, 422, 429, 500, 503, ...perhapsTaken]) {
    const kind = perhapsTaken.includes(status) ? 'ambiguous' : usual;
    test(`code ${code} is ${kind} with ${status}: ambiguity comes first, then a known code, then the status`, async (t) => {
      const body = JSON.stringify({
        Code: code,
        Description: 'why',
        IMEI: ['300434030000000'],
        Message: 'what',
        URL: '',
      });
      const failure = failureIn(t, await outcomeOf(t, { status, body }));
      t.like(failure, { kind, status, code });
      t.true(failure.error instanceof RelayError);
      t.is(failure.error.code, error);
      t.is(failure.error.ambiguous, kind === 'ambiguous');
      for (const word of [`code ${code}`, meaning, 'what: why', '300434030000000', String(status)])
        t.true(failure.error.message.includes(word), `${word} in ${failure.error.message}`);
    });
  }

test('no other code is known', (t) => {
  for (const code of [null, 0, 18, 99, -1]) t.is(vendorCode(code), undefined);
});

test('a secret is masked wherever it stands, once for each place', (t) => {
  t.is(withoutEchoes('no "pass word" here, pass word there', ['pass word']), `no "${mask}" here, ${mask} there`);
});

test('a part of a longer secret is masked too', (t) => {
  const secret = 'Meet the team at the northern gate';
  t.is(withoutEchoes('bad text: Meet the team at the…', [secret]), `bad text: ${mask}…`);
});

test('a secret is masked as JSON, HTML and one line show it', (t) => {
  const secret = 'a "b" <c> & \n d';
  for (const shown of [JSON.stringify(secret), 'a &quot;b&quot; &lt;c&gt; &amp; d', 'a "b" <c> & d'])
    t.notRegex(withoutEchoes(`x ${shown} x`, [secret]), /b.+c/, shown);
});

test('short secrets and other texts are left alone', (t) => {
  t.is(withoutEchoes('OK then', ['OK', '', 'somewhere else']), 'OK then');
});

testProp(
  'no secret of four characters or more is left in any text',
  [fc.string(), fc.string({ minLength: 4 }), fc.string()],
  (t, before, secret, after) => {
    const clean = withoutEchoes(before + secret + after, [secret]);
    t.true(secret.includes('*') || !clean.includes(secret));
  },
);

const html = '<html><body><h1>Gateway</h1></body></html>';
const unknown = JSON.stringify({ Code: 99, Description: 'Something new', IMEI: null, Message: '', URL: '' });

const accepted: readonly (readonly [string, Reply])[] = [
  ['an empty 200', { status: 200 }],
  ['a 201', { status: 201, body: '{"count":1}' }],
  ['a 204', { status: 204 }],
  ['a count', { status: 200, body: '{"count":1}' }],
  ['blanks', { status: 200, body: ' \r\n' }],
  ['a count behind a byte order mark', { status: 200, body: '\uFEFF{"count":1}' }],
  ['a JSON text', { status: 200, body: '"OK"' }],
  ['a list', { status: 200, body: '[{"Code":5}]' }],
  ['null', { status: 200, body: 'null' }],
  ['a code that nobody knows', { status: 202, body: unknown }],
  ['code 0', { status: 200, body: '{"Code":0}' }],
];
for (const [what, reply] of accepted)
  test(`2xx with ${what} is accepted`, async (t) => {
    t.deepEqual(await outcomeOf(t, reply), { kind: 'accepted', status: reply.status });
  });

const failed: readonly (readonly [string, Reply, InboundFailure['kind'], ErrorCode])[] = [
  ['200 with HTML', { status: 200, body: html }, 'ambiguous', 'vendor_web_page'],
  ['201 with a text', { status: 201, body: 'created' }, 'ambiguous', 'vendor_web_page'],
  ['200 with half a JSON', { status: 200, body: '{"coun' }, 'ambiguous', 'vendor_web_page'],
  ['401 without a body', { status: 401 }, 'transient', 'vendor_auth_refused'],
  ['403 without a body', { status: 403 }, 'transient', 'vendor_auth_refused'],
  ['403 with HTML', { status: 403, body: html }, 'transient', 'vendor_auth_refused'],
  ['429 without a body', { status: 429 }, 'transient', 'vendor_throttled'],
  ['400', { status: 400 }, 'transient', 'vendor_unreachable'],
  ['404 with HTML', { status: 404, body: html }, 'transient', 'vendor_unreachable'],
  [
    '404 with the JSON of a gateway',
    { status: 404, body: '{"message":"no route"}' },
    'transient',
    'vendor_unreachable',
  ],
  ['422 without a body', { status: 422 }, 'transient', 'vendor_unreachable'],
  ['422 with an array', { status: 422, body: '[{"Code":5}]' }, 'transient', 'vendor_unreachable'],
  ['422 with a string', { status: 422, body: '"refused"' }, 'transient', 'vendor_unreachable'],
  ['422 with an unknown code', { status: 422, body: unknown }, 'permanent', 'vendor_refused'],
  ['500 without a body', { status: 500 }, 'transient', 'vendor_internal'],
  ['500 with an array', { status: 500, body: '[{"Code":5}]' }, 'transient', 'vendor_internal'],
  ['500 with an unknown code', { status: 500, body: unknown }, 'transient', 'vendor_internal'],
  ['501', { status: 501 }, 'transient', 'vendor_internal'],
  ['502 with HTML', { status: 502, body: html }, 'transient', 'vendor_unreachable'],
  ['503 with HTML', { status: 503, body: html }, 'transient', 'vendor_unreachable'],
  ['504 with HTML', { status: 504, body: html }, 'ambiguous', 'vendor_unreachable'],
  ['507', { status: 507 }, 'transient', 'vendor_internal'],
  ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:1/' } }, 'transient', 'vendor_unreachable'],
];
for (const [what, reply, kind, code] of failed)
  test(`${what} is ${kind}: ${code}`, async (t) => {
    const failure = failureIn(t, await outcomeOf(t, reply));
    t.like(failure, { kind, status: reply.status });
    t.is(failure.error.code, code);
    t.is(failure.error.ambiguous, kind === 'ambiguous');
    t.regex(failure.url ?? '', /^http:\/\/127\.0\.0\.1:\d+\/IPCInbound\/V1\/Messaging\.svc\/Message$/);
  });

test('the wait that the vendor asks for comes along, whatever the status', async (t) => {
  for (const status of [429, 503]) {
    const failure = failureIn(t, await outcomeOf(t, { status, headers: { 'retry-after': '7' } }));
    t.is(failure.error.retryAfterMs, 7_000);
  }
});

test('code, texts and devices of the vendor are in the error', async (t) => {
  const said = {
    Code: '4',
    Description: 'The device is not\nin this account',
    Recipients: [300_434_030_000_000],
    Message: 'Unknown',
  };
  const failure = failureIn(t, await outcomeOf(t, { status: 422, body: JSON.stringify(said) }));
  t.regex(
    failure.error.message,
    /: code 4 \(unknown device\): Unknown: The device is not in this account \[300434030000000\]; POST .* answered 422$/,
  );
  t.is(failure.code, 4);
});

test('a code that nobody knows is told, and decides nothing', async (t) => {
  const failure = failureIn(t, await outcomeOf(t, { status: 422, body: unknown }));
  t.is(failure.code, 99);
  t.regex(failure.error.message, /code 99: Something new/);
});

test('errors are of bounded length, whatever the vendor says', async (t) => {
  const body = JSON.stringify({
    Code: 4,
    Description: 'd'.repeat(50_000),
    Message: 'm'.repeat(50_000),
    IMEI: Array(500).fill('1'.repeat(15)),
  });
  const failure = failureIn(t, await outcomeOf(t, { status: 422, body }));
  t.true(failure.error.message.length < 1_200);
  t.true(failure.body.length <= 200);
});
