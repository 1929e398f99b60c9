import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { data, fakeSite, page, plain } from '../test/fake-site.ts';

test('event types of both kinds are read, whether the category is an object or a text', async (t) => {
  const { site, asked } = await fakeSite(t, [
    data([{ value: 'a', category: { value: 'monitoring' }, is_active: false, is_collection: true }]),
    page([{ value: 'b', category: 'security' }]),
  ]);
  t.deepEqual(await site.eventTypes(), [
    { value: 'a', category: 'monitoring', is_active: false, is_collection: true },
    { value: 'b', category: 'security', is_active: true, is_collection: false },
  ]);
  t.deepEqual(
    asked.map(({ path, query }) => `${path}?${query.toString()}`),
    ['/api/v2.0/activity/eventtypes', 'activity/events/eventtypes'].map(
      (path) => `${path}?include_inactive=true&include_schema=false`,
    ),
  );
});

test('a site may have event types of one kind only, but not of none', async (t) => {
  const { site } = await fakeSite(t, [plain(404, {}), data([{ value: 'b' }]), plain(404, {}), plain(404, {})]);
  t.deepEqual(
    (await site.eventTypes()).map(({ value }) => value),
    ['b'],
  );
  const error = await t.throwsAsync(site.eventTypes());
  t.true(isRelayError(error, 'site_not_found'));
});
