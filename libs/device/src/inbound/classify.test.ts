import type { ErrorCode } from '@ranger-relay/errors';
import test from 'ava';
import type { InboundFailure } from './outcome.ts';
import { failureIn, outcomeOf, type Reply } from './test/vendor.ts';

const html = '<html><body><h1>Gateway</h1></body></html>';
const unknown = JSON.stringify({ Code: 99, Description: 'Something new', IMEI: null, Message: '', URL: '' });

const accepted: readonly (readonly [string, Reply])[] = [
  ['an empty 200', { status: 200 }],
  ['a 201', { status: 201, body: '{"count":1}' }],
  ['a 204', { status: 204 }],
  ['a count', { status: 200, body: '{"count":1}' }],
  ['HTML', { status: 200, body: html }],
  ['half a JSON', { status: 200, body: '{"coun' }],
  ['a text', { status: 200, body: '"OK"' }],
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
