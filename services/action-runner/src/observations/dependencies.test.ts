import test from 'ava';
import { z } from 'zod';
import { authConfig } from '../auth/auth.ts';
import { showPermissionsConfig } from '../permissions/show-permissions.ts';
import { pullObservationsConfig } from './dependencies.ts';

const start = { start_datetime: '2026-01-01T00:00:00Z' };
const group = '77000000-0000-4000-8000-000000000001';

test('what is left out has the default of the contract; only the start is required', (t) => {
  t.deepEqual<unknown, unknown>(pullObservationsConfig.parse(start), {
    ...start,
    force_run_since_start: false,
    run_on_schedule: false,
    subject_group_ids: [],
    subwindow_days: 1,
    continue_immediately: false,
  });
  t.false(pullObservationsConfig.safeParse({}).success);
  t.deepEqual<unknown, unknown>(authConfig.parse({}), {
    authentication_type: 'token',
    token: '',
    username: '',
    password: '',
  });
  t.deepEqual<unknown, unknown>(showPermissionsConfig.parse({}), { include_subjects_from_subgroups_in_parent: true });
});

test('an end may be missing, empty or null', (t) => {
  for (const end of [undefined, null, '', ' ', '2026-02-01', '2026-02-01T00:00:00+03:00'])
    t.true(pullObservationsConfig.safeParse({ ...start, end_datetime: end }).success, String(end));
});

test('what cannot be meant is refused', (t) => {
  for (const bad of [
    { start_datetime: 'yesterday' },
    { start_datetime: '' },
    { start_datetime: 1_767_225_600 },
    { ...start, end_datetime: 'tomorrow' },
    { ...start, subwindow_days: 0 },
    { ...start, subwindow_days: 1.5 },
    { ...start, subject_group_ids: ['a name'] },
    { ...start, subject_group_ids: [group, ''] },
    { ...start, continue_immediately: 'yes' },
  ])
    t.false(pullObservationsConfig.safeParse(bad).success, JSON.stringify(bad));
});

test('every field has a title and a description in a schema that a form can be made of; secrets are marked', (t) => {
  for (const model of [pullObservationsConfig, authConfig, showPermissionsConfig]) {
    const { properties = {} } = z.toJSONSchema(model, { io: 'input', target: 'draft-7' });
    for (const [name, property] of Object.entries(properties) as [string, Record<string, unknown>][]) {
      t.is(typeof property['title'], 'string', name);
      t.is(typeof property['description'], 'string', name);
      t.is(property['secret'], name === 'token' || name === 'password' ? true : undefined, name);
    }
  }
});
