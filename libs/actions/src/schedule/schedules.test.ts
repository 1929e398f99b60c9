import { fc, testProp } from '@fast-check/ava';
import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { discoverActions } from '../index.ts';
import { action } from '../test/actions.ts';
import { parseCrontab } from './crontab.ts';
import { overridesOf, overridesPattern, schedulesOf } from './schedules.ts';

const pattern = new RegExp(overridesPattern);

/** What is wrong with the crontabs of a list. */
const problems = (list: string): string[] =>
  overridesOf(list).flatMap((override) => {
    try {
      parseCrontab(override.slice(override.indexOf(':') + 1));
      return [];
    } catch (error) {
      if (!isRelayError(error, 'crontab_invalid')) throw error;
      return [error.message];
    }
  });

for (const list of [
  'pull_events:*/5 * * * *',
  'pull_events:0 */4 * * * -5',
  'pull_a:1,2 05 1-15/2 jan-MAR mon,FRI-Sat +14; pull_b : 0-10/5,30 * * * 5-7;',
  'pull_events:0 0 29 feb *',
  'pull_events:*/05 6 * * * -05',
  'pull_events:0 6 * * * +03',
  'pull_a:0 6 * * *;\n  pull_b:0 7 * * *; \n',
])
  test(`${JSON.stringify(list)} is written as schedules are`, (t) => {
    t.regex(list, pattern);
    t.deepEqual(problems(list), []);
  });

for (const list of [
  'hourly',
  'pull_events',
  'pull_events: * * * *',
  'pull_events:60 * * * *',
  'pull_events:* 24 * * *',
  'pull_events:* * 0 * *',
  'pull_events:* * * 13 *',
  'pull_events:* * * * 8',
  'pull_events:*/0 * * * *',
  'pull_events:5/2 * * * *',
  'pull_events:* * * * * 15',
  'pull_events:* * * * * UTC',
  'pull_events:* * * * * 012',
  'Pull Events:* * * * *',
  'pull_events:* * * * *, pull_observations:* * * * *',
])
  test(`"${list}" is not written as schedules are`, (t) => t.notRegex(list, pattern));

testProp(
  'whatever is written as schedules are can be read, ranges that run backwards and days of no year apart',
  [fc.stringMatching(pattern)],
  (t, list) => {
    fc.pre(pattern.test(list));
    t.deepEqual(
      problems(list).filter((problem) => !/runs backwards|never fires/.test(problem)),
      [],
    );
  },
);

test('engines without look-around and back references can read it', (t) => {
  t.notRegex(overridesPattern, /\(\?[=!<]|\\[1-9k]/);
});

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
