import { RelayError, type ErrorCode } from '@ranger-relay/errors';
import test from 'ava';
import { failureIn, outcomeOf } from './test/vendor.ts';
import { vendorCode } from './vendor-codes.ts';

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
