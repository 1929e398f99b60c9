import { isRelayError } from '@ranger-relay/errors';
import { systemClock } from '@ranger-relay/runtime';
import { silentLogger } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { openSite, type SiteOptions } from './site.ts';
import { canary, data, fakeSite, plain } from './test/fake-site.ts';

test('the probe asks who the token belongs to, and takes any answer that is good', async (t) => {
  const { site, asked } = await fakeSite(t, data({ id: 1, username: 'x' }));
  await site.probe();
  t.like(asked[0], { method: 'GET', path: 'user/me' });
  t.like(asked[0]?.headers, {
    authorization: `Bearer ${canary}`,
    accept: 'application/json',
    'user-agent': 'test/1.0',
    'content-type': undefined,
  });
});

test('the feature flag is asked for without the token', async (t) => {
  const { site, asked } = await fakeSite(t, data({ preview_features: { patrol_schemas: true } }));
  t.true(await site.patrolSchemas());
  t.is(asked[0]?.path, 'status/');
  t.is(asked[0]?.headers.authorization, undefined);
});

for (const payload of [
  {},
  { preview_features: {} },
  { preview_features: null },
  { preview_features: { patrol_schemas: false } },
  { preview_features: { patrol_schemas: 'true' } },
  { features: { patrol_schemas: true } },
])
  test(`the feature is off with ${JSON.stringify(payload)}`, async (t) => {
    const { site } = await fakeSite(t, data(payload));
    t.false(await site.patrolSchemas());
  });

test('a payload with a status of its own comes without an envelope', async (t) => {
  const { site } = await fakeSite(t, plain(200, { status: 'ok', preview_features: { patrol_schemas: true } }));
  t.true(await site.patrolSchemas());
});

test('a refused token is said to be one', async (t) => {
  const { site } = await fakeSite(t, plain(401, { status: { code: 401, message: 'Unauthorized' } }));
  t.true(isRelayError(await t.throwsAsync(site.probe()), 'site_unauthorized'));
});

const options: SiteOptions = {
  address: 'park.example:8443/api/v1.0/',
  token: canary,
  clock: systemClock,
  log: silentLogger(),
  userAgent: 'test/1.0',
};

test('a site is known by identity and origin before anything is sent', (t) => {
  const site = openSite(options);
  t.is(site.identity, 'park.example:8443');
  t.is(site.origin, 'https://park.example:8443');
  site.close();
});

test('white space around a token is not part of it', async (t) => {
  const { site, asked } = await fakeSite(t, data({}), { token: `\n ${canary}\n` });
  await site.probe();
  t.is(asked[0]?.headers.authorization, `Bearer ${canary}`);
});

for (const token of ['', ' \n', 'two words', 'tök', 'a\r\nx: y'])
  test(`${JSON.stringify(token)} is no token, and is not repeated`, (t) => {
    const error = t.throws(() => openSite({ ...options, token }));
    t.true(isRelayError(error, 'site_token_invalid'));
    if (token.trim() !== '') t.false(error?.message.includes(token));
  });

test('an authority that is no certificate is refused', (t) => {
  for (const ca of ['', 'hello', '-----BEGIN CERTIFICATE-----\nxx\n-----END CERTIFICATE-----'])
    t.true(
      isRelayError(
        t.throws(() => openSite({ ...options, ca })),
        'site_authority_invalid',
      ),
    );
});

test('addresses of private networks are the choice of who names them', async (t) => {
  const { site } = await fakeSite(t, data({}));
  await t.notThrowsAsync(site.probe());
});
