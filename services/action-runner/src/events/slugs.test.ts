import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { siteError } from './test/fake-site.ts';
import { harness, type Harness } from './test/harness.ts';

const hour = 3_600_000;
const paths = (w: Harness): string[] => w.site.asked.map(({ path }) => path);
const filterOf = (w: Harness) => {
  const query = w.site.asked.find(({ path }) => path === 'activity/events')?.query;
  return JSON.parse(query?.['filter'] ?? 'null') as Record<string, unknown> | null;
};

test('types are resolved from both lists; one that is in both goes with both ids', async (t) => {
  const w = harness();
  await w.run({ event_types: ['snare', 'carcass'] });
  t.deepEqual(filterOf(w)?.['event_type'], ['t-both-1', 't-both-2', 't-new']);
  t.is(w.entries.length, 0);
});

test('categories come from the types; their own list is asked for one that no type names', async (t) => {
  const w = harness();
  await w.run({ event_categories: ['crime'] });
  t.deepEqual(filterOf(w)?.['event_category'], ['c-2']);
  t.false(paths(w).includes('activity/events/categories'));
  const other = harness();
  await other.run({ event_categories: ['wildlife'] });
  t.deepEqual(filterOf(other)?.['event_category'], ['c-3']);
});

test('without slugs there is no filter by type or category', async (t) => {
  const w = harness();
  await w.run();
  t.deepEqual(Object.keys(filterOf(w) ?? {}), ['update_date']);
});

test('some slugs unknown: an INFO entry, at most hourly, and on', async (t) => {
  const w = harness();
  const config = { event_types: ['fire', 'flood'], event_categories: ['crime', 'space'] };
  t.like(await w.run(config), { events_extracted: 0 });
  await w.run(config);
  t.deepEqual(
    w.entries.map(({ level, data }) => [level, data]),
    [['info', { unknown_event_types: ['flood'], unknown_event_categories: ['space'] }]],
  );
  t.deepEqual(filterOf(w)?.['event_type'], ['t-old']);
  t.truthy(w.kept());
  w.clock.jump(hour);
  await w.run(config);
  t.is(w.entries.length, 2);
});

test('an event whose id is the name of a notice is an event like any other', async (t) => {
  const w = harness();
  for (const id of ['notice-unknown_slugs', '%notice-unknown_slugs', '%%notice-unknown_slugs']) w.write(id);
  const config = { event_types: ['fire', 'flood'] };
  t.like(await w.run(config), { events_extracted: 3 });
  t.is(w.entries.length, 1);
  await w.run(config);
  t.is(w.platform.posts.flat().length, 3);
  t.is(w.entries.length, 1);
});

for (const [config, reason] of [
  [{ event_types: ['flood'] }, 'no_resolvable_event_types'],
  [{ event_types: ['fire'], event_categories: ['space'] }, 'no_resolvable_event_categories'],
] as const)
  test(`none resolves: skipped with a WARNING at most hourly, the watermark stays (${reason})`, async (t) => {
    const w = harness();
    w.write('e1');
    t.deepEqual(await w.run(config), {
      events_extracted: 0,
      pages_read: 0,
      skipped_reason: reason,
    });
    await w.run(config);
    t.deepEqual(
      w.entries.map(({ level }) => level),
      ['warning'],
    );
    t.is(w.kept(), null);
    t.false(paths(w).includes('activity/events'));
    w.clock.jump(hour);
    await w.run(config);
    t.is(w.entries.length, 2);
  });

for (const path of ['activity/events/eventtypes', '/api/v2.0/activity/eventtypes', 'activity/events/categories'])
  test(`a look-up that fails for now makes the run fail: ${path}`, async (t) => {
    const w = harness();
    w.site.before = (asked) => {
      if (asked === path) throw siteError('site_unavailable');
    };
    const error = await t.throwsAsync(w.run({ event_types: ['flood'], event_categories: ['space'] }));
    t.true(isRelayError(error, 'site_unavailable'));
    t.is(w.entries.length, 0);
    t.is(w.kept(), null);
  });

test('a list that the site refuses for good counts as empty', async (t) => {
  for (const code of ['site_forbidden', 'site_not_found'] as const) {
    const w = harness();
    w.site.before = (path) => {
      if (path === '/api/v2.0/activity/eventtypes') throw siteError(code);
    };
    await w.run({ event_types: ['fire'] });
    t.deepEqual(filterOf(w)?.['event_type'], ['t-old']);
  }
});

for (const config of [{ event_types: ['fire'] }, { event_categories: ['crime'] }])
  test(`where both lists of types are refused the run fails and says so: ${Object.keys(config).join()}`, async (t) => {
    const w = harness();
    w.write('e1');
    w.site.before = (path) => {
      if (path.endsWith('eventtypes')) throw siteError('site_forbidden');
    };
    t.true(isRelayError(await t.throwsAsync(w.run(config)), 'site_forbidden'));
    t.deepEqual([w.entries, w.kept()], [[], null]);
    await w.run();
    t.is(w.platform.stored.length, 1, 'without slugs the lists only give titles');
  });

test('categories that their own list tells need no list of types', async (t) => {
  const w = harness();
  w.site.before = (path) => {
    if (path.endsWith('eventtypes')) throw siteError('site_forbidden');
  };
  await w.run({ event_categories: ['wildlife'] });
  t.deepEqual(filterOf(w)?.['event_category'], ['c-3']);
});

test('credentials that are not taken are no empty list', async (t) => {
  const w = harness();
  w.site.before = () => {
    throw siteError('site_credentials_refused');
  };
  await t.throwsAsync(w.run({ event_types: ['fire'] }));
  t.is(w.entries.length, 0);
});

test('a title that is missing is the name of the type, or its slug', async (t) => {
  const w = harness();
  w.write('e1', { event_type: 'carcass' });
  w.write('e2', { event_type: 'odd' });
  w.write('e3', { event_type: null });
  await w.run();
  t.deepEqual(
    w.platform.stored.map(({ item }) => [item['title'], item['source']]),
    [
      ['Carcass', 'carcass'],
      ['odd', 'odd'],
      [undefined, undefined],
    ],
  );
});
