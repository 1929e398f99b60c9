import type { InboundOutcome } from '@ranger-relay/device';
import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { auth } from './handlers.ts';
import { outcomes } from './test/outcomes.ts';
import { account } from './test/harness.ts';

const asked = (outcome: InboundOutcome) => {
  const configs: unknown[] = [];
  return {
    configs,
    pingback: async (config: unknown) => {
      configs.push(config);
      return outcome;
    },
  };
};

test('credentials that the vendor takes are valid', async (t) => {
  const inbound = asked(outcomes.accepted());
  t.deepEqual(await auth(account, inbound), { valid_credentials: true });
  t.deepEqual(inbound.configs, [{ apiUrl: account.api_url, username: account.username, password: account.password }]);
});

const missing: readonly (readonly [unknown, string])[] = [
  [null, 'api_url is missing'],
  [{}, 'api_url is missing'],
  [{ ...account, api_url: ' ' }, 'api_url is missing'],
  [{ ...account, username: undefined }, 'username is missing'],
  [{ ...account, password: '' }, 'password is missing'],
];
for (const [data, error] of missing)
  test(`in band and without a call: ${error} in ${JSON.stringify(data)}`, async (t) => {
    const inbound = asked(outcomes.accepted());
    t.deepEqual(await auth(data, inbound), { valid_credentials: false, error });
    t.is(inbound.configs.length, 0);
  });

const addressInvalid: InboundOutcome = {
  kind: 'permanent',
  error: new RelayError('vendor_address_invalid', { details: { problem: 'cannot be read' } }),
  status: null,
  code: null,
  body: '',
  url: undefined,
};
const ends: readonly (readonly [string, InboundOutcome, RegExp])[] = [
  ['refused credentials', outcomes.unauthorized(), /^Invalid username or password$/],
  ['an unusable address', addressInvalid, /^api_url: The address of the vendor cannot be read/],
  ['an unreachable vendor', outcomes.unreachable(), /^Connection failed: The vendor cannot be reached: told so$/],
  ['a 504', outcomes.gatewayTimeout(), /^Connection failed: /],
  ['a lost answer', outcomes.lost(), /^Connection failed: /],
  ['an error of the vendor', outcomes.internal(), /^Bad response: The vendor failed: told so$/],
  ['a throttling vendor', outcomes.throttled(5_000), /^Rate limited: /],
  ['a refusal', outcomes.refused(), /^Bad response: The vendor refuses the call: told so$/],
];
for (const [what, outcome, sentence] of ends)
  test(`${what} is told in one sentence`, async (t) => {
    const result = await auth(account, asked(outcome));
    t.false(result.valid_credentials);
    t.regex('error' in result ? result.error : '', sentence);
  });
