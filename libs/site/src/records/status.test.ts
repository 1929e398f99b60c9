import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { canary, data, fakeSite, plain } from '../test/fake-site.ts';

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
