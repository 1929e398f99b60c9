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
