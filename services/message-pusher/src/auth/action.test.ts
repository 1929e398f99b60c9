import test from 'ava';
import { appHarness } from '../test/app-harness.ts';
import { answer, coded, endings } from '../test/vendor.ts';
import { account } from '../test/harness.ts';

const refused = (error: string) => ({ valid_credentials: false, error });

test('an account that the vendor takes is valid, checked by one pingback', async (t) => {
  const w = await appHarness(t);
  const { status, json } = await w.execute({ action_id: 'auth' });
  t.deepEqual([status, json], [200, { valid_credentials: true }]);
  t.deepEqual(w.vendor.texts, ['pingback']);
  t.deepEqual(w.kinds(), ['Started', 'Complete']);
});

const inBand: readonly (readonly [string, unknown, string])[] = [
  ['no configuration', null, 'api_url is missing'],
  ['an empty one', {}, 'api_url is missing'],
  ['an empty address', { ...account, api_url: '' }, 'api_url is missing'],
  ['a user name that is null', { ...account, username: null }, 'username is missing'],
  ['no password', { ...account, password: undefined }, 'password is missing'],
  ['a password that is no text', { ...account, password: ['x'] }, 'password is missing'],
];
for (const [what, stored, error] of inBand)
  test(`${what} is 200 in band, without a call`, async (t) => {
    const w = await appHarness(t);
    w.platform.configs['auth'] = stored;
    const { status, json } = await w.execute({ action_id: 'auth' });
    t.deepEqual([status, json], [200, refused(error)]);
    t.deepEqual(w.vendor.texts, []);
  });

test('an address that cannot be used is 200 in band, without a call', async (t) => {
  const w = await appHarness(t);
  for (const api_url of ['ftp://host', 'http://', 'http://10.0.0.1']) {
    const { status, json } = await w.execute({ action_id: 'auth', config_overrides: { api_url } });
    t.is(status, 200);
    t.regex((json as { error: string }).error, /^api_url: /, api_url);
  }
  t.deepEqual(w.vendor.texts, []);
});

for (const [what, ending, sentence] of [
  ['401', answer(401), /^Invalid username or password$/],
  ['403', coded(403, 3), /^Invalid username or password$/],
  ['502', answer(502, '<html>'), /^Connection failed: .*answered 502$/],
  ['500', coded(500, 1), /^Bad response: /],
  ['429', coded(429, 2), /^Rate limited: /],
  ['422', coded(422, 12), /^Bad response: /],
  ['a reset', endings.reset, /^Connection failed: /],
  ['a web page', answer(200, '<html>Sign in</html>'), /^Bad response: A web page answered, not the vendor's service: /],
] as const)
  test(`${what} is 200 in band`, async (t) => {
    const w = await appHarness(t, [ending]);
    const { status, json } = await w.execute({ action_id: 'auth' });
    t.is(status, 200);
    t.regex((json as { error: string }).error, sentence);
    t.deepEqual(w.kinds(), ['Started', 'Complete']);
  });

test('an integration that is not saved yet is checked without entries', async (t) => {
  const w = await appHarness(t);
  const data = { ...account, api_url: w.vendor.apiUrl };
  const integration_state = { configurations: [{ action_value: 'auth', data }] };
  const { json } = await w.execute({ integration_id: null, action_id: 'auth', integration_state });
  t.deepEqual(json, { valid_credentials: true });
  t.deepEqual(w.entries, []);
});

test('the password never shows', async (t) => {
  const w = await appHarness(t, [answer(500, 'c4n4ry-p4ss')]);
  const { json } = await w.execute({ action_id: 'auth' });
  t.false(JSON.stringify([json, w.entries, w.lines]).includes('c4n4ry'));
  t.like(w.entries[0]?.payload, { config_data: { username: account.username, password: '**********' } });
});
