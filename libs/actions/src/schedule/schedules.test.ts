import test from 'ava';
import { discoverActions } from '../index.ts';
import { action } from '../test/actions.ts';
import { overridesOf, schedulesOf } from './schedules.ts';

const catalogue = discoverActions({
  action_auth: action('auth'),
  action_pull_a: action('pull', undefined, { schedule: '5 * * * *' }),
  action_pull_b: action('pull'),
  action_pull_c: action('pull', undefined, { internal: true }),
});

for (const list of [
  'pull_a:*/5 * * * *',
  'pull_a:1,2 05 1-15/2 jan-MAR mon,FRI-Sat +14; pull_b : 0-10/5,30 * * * 5-7;',
  'pull_a:*/05 6 * * * -05',
  'pull_a:0 6 * * *;\n  pull_b:0 7 * * *; \n',
])
  test(`${JSON.stringify(list)} are schedules`, (t) => {
    t.notThrows(() => schedulesOf(catalogue, overridesOf(list)));
  });

for (const list of [
  'hourly',
  'pull_a',
  'pull_a: * * * *',
  'pull_a:60 * * * *',
  'pull_a:*/0 * * * *',
  'pull_a:* * * * * 15',
  'Pull A:* * * * *',
  'pull_a:* * * * *, pull_b:* * * * *',
  'pull_a:* * * * *; pull_a:* * * * *',
])
  test(`"${list}" are no schedules`, (t) => {
    t.throws(() => schedulesOf(catalogue, overridesOf(list)), { code: 'crontab_invalid' });
  });

const found = (overrides: readonly string[]) =>
  schedulesOf(catalogue, overrides).map(({ actionId, crontab, source }) => [actionId, crontab.text, source]);

test('pull actions alone have schedules, and it is known where each comes from', (t) => {
  t.deepEqual(found([]), [
    ['pull_a', '5 * * * *', 'handler'],
    ['pull_b', '*/10 * * * *', 'default'],
  ]);
  t.deepEqual(found(['pull_b:0 1 * * * 3']), [
    ['pull_a', '5 * * * *', 'handler'],
    ['pull_b', '0 1 * * * 3', 'registration'],
  ]);
});

test('a list has semicolons between its schedules, because crontabs have commas', (t) => {
  t.deepEqual(overridesOf(' pull_a:1,2 * * * * ; ;pull_b:* * * * * '), ['pull_a:1,2 * * * *', 'pull_b:* * * * *']);
  t.deepEqual(overridesOf(undefined), []);
});
