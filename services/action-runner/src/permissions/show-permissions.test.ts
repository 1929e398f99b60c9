import { httpAnswer } from '@ranger-relay/http/testing';
import test from 'ava';
import { siteRefusal, token } from '../test/site.ts';
import { createHarness } from '../test/harness.ts';

const harnessOfPermissions = () => {
  const harness = createHarness();
  Object.assign(harness.site.payloads, {
    'user/me': {
      is_active: true,
      username: 'asha',
      first_name: 'Asha',
      last_name: 'Mwangi',
      is_superuser: false,
      permissions: {
        eventcategory: ['view'],
        event_type: ['view', 'add'],
        Message: ['view'],
        security: ['update', 'add'],
      },
    },
    'activity/events/eventtypes': [
      { id: '1', value: 'snare', display: 'Snare', category: { id: 'c1', value: 'security', display: 'Security' } },
      { id: '2', value: 'arrest', display: 'Arrest', category: { id: 'c1', value: 'security', display: 'Security' } },
    ],
    '/api/v2.0/activity/eventtypes': {
      results: [{ id: '3', value: 'carcass', display: 'Carcass', category: 'monitoring' }],
      next: null,
    },
    'activity/events/categories': [
      { id: 'c1', value: 'security', display: 'Security' },
      { id: 'c2', value: 'monitoring', display: 'Monitoring' },
      { id: 'c3', value: 'empty', display: 'An empty one' },
    ],
    subjectgroups: [
      {
        id: 'g2',
        name: 'Rangers',
        subjects: [{ id: 's2', name: 'Zawadi' }],
        subgroups: [{ id: 'g1', name: 'North', subjects: [{ id: 's1', name: 'Amani' }], subgroups: [] }],
      },
    ],
  });
  const show = async (config: object = {}) => {
    const outcome = await harness.run('show_permissions', config);
    return (outcome as { result?: unknown }).result as { ui: unknown; data: Record<string, unknown> };
  };
  return { ...harness, show };
};

test('the card shows user, permissions, categories, types and groups, sorted', async (t) => {
  t.deepEqual(await harnessOfPermissions().show({ include_subjects_from_subgroups_in_parent: true }), {
    ui: { widget: 'DynamicJSONCard' },
    data: {
      'User Details': { 'Full Name': 'Asha Mwangi', Username: 'asha', 'Is Superuser': false },
      'Global Permissions': {
        'Event Category': ['view'],
        'Event Type': ['add', 'view'],
        Event: [],
        Message: ['view'],
        Observation: ['view'],
      },
      'Event Categories': {
        'An empty one': { 'Event Types': [], Permissions: ['view'] },
        Monitoring: { 'Event Types': ['Carcass'], Permissions: ['view'] },
        Security: { 'Event Types': ['Arrest', 'Snare'], Permissions: ['add', 'update'] },
      },
      'Event Type Slugs': ['arrest', 'carcass', 'snare'],
      'Event Category Slugs': ['empty', 'monitoring', 'security'],
      'Subject Groups': { North: ['Amani'], Rangers: ['Amani', 'Zawadi'] },
      'Subject Group UUIDs': ['g1', 'g2'],
    },
  });
});

test('subjects of subgroups are left out of their parent when asked for', async (t) => {
  const { data } = await harnessOfPermissions().show({ include_subjects_from_subgroups_in_parent: false });
  t.deepEqual(data['Subject Groups'], { North: ['Amani'], Rangers: ['Zawadi'] });
});

for (const [path, sections] of Object.entries({
  'user/me': ['User Details', 'Global Permissions', 'Event Categories'],
  'activity/events/eventtypes': ['Event Categories', 'Event Type Slugs', 'Event Category Slugs'],
  'activity/events/categories': ['Event Categories', 'Event Category Slugs'],
  subjectgroups: ['Subject Groups', 'Subject Group UUIDs'],
}))
  test(`when ${path} fails its sections hold the error, and the others what they should`, async (t) => {
    const harness = harnessOfPermissions();
    harness.site.onRequest = (url) => (url.pathname === `/api/v1.0/${path}` ? httpAnswer(403) : undefined);
    const { data } = await harness.show();
    const failed = Object.entries(data).flatMap(([name, value]) =>
      Object.hasOwn(value as object, 'error') ? [name] : [],
    );
    t.deepEqual(failed.toSorted(), sections.toSorted());
  });

for (const answer of [siteRefusal(403), httpAnswer(200, { data: [] })])
  test(`observations that the site refuses with ${answer.status} are not shown as viewable`, async (t) => {
    const harness = harnessOfPermissions();
    harness.site.onRequest = (url) => (url.pathname === '/api/v1.0/observations' ? answer : undefined);
    t.like((await harness.show()).data['Global Permissions'], { Observation: [], Message: ['view'] });
  });

test('a superuser has every permission, also those that the site does not list', async (t) => {
  const harness = harnessOfPermissions();
  Object.assign(harness.site.payloads['user/me'] as object, { is_superuser: true });
  const all = ['add', 'change', 'delete', 'view'];
  t.deepEqual((await harness.show()).data['Global Permissions'], {
    'Event Category': all,
    'Event Type': all,
    Event: all,
    Message: all,
    Observation: all,
  });
});

test('a site that has types of one kind only is no failure', async (t) => {
  const harness = harnessOfPermissions();
  delete harness.site.payloads['/api/v2.0/activity/eventtypes'];
  t.deepEqual((await harness.show()).data['Event Type Slugs'], ['arrest', 'snare']);
  delete harness.site.payloads['activity/events/eventtypes'];
  t.regex(JSON.stringify((await harness.show()).data['Event Type Slugs']), /"error"/);
});

test('credentials that are refused fill every section, without the token', async (t) => {
  const harness = harnessOfPermissions();
  harness.site.onRequest = () => httpAnswer(401);
  const { data } = await harness.show();
  for (const value of Object.values(data)) t.is(typeof (value as { error: unknown }).error, 'string');
  t.notRegex(JSON.stringify([data, harness.entries, harness.lines]), new RegExp(token));
});
