import { parseEnv } from '@ranger-relay/runtime';
import test from 'ava';
import { readUpConfig } from '../up/config.ts';
import { settingsOf, trialSchedules } from '../up/settings.ts';
import { cataloguesOf } from './catalogues.ts';
import { actionsCliEnv } from './env.ts';

const catalogues = (env: NodeJS.ProcessEnv) => cataloguesOf(parseEnv(actionsCliEnv, env));
const crontabOf = (env: NodeJS.ProcessEnv, action: string): string | undefined =>
  catalogues(env).schedules.find(({ actionId }) => actionId === action)?.crontab.text;

test('every service has the actions of its contract', (t) => {
  const { pusher } = catalogues({});
  t.deepEqual(
    pusher.actions.map(({ id }) => id),
    ['auth', 'push_messages'],
  );
  t.truthy(catalogues({}).runner.get('pull_observations'));
});

test('schedules are those that the environment gives the runner, and those of a trial where `up` is one', (t) => {
  const [action = '', crontab] = trialSchedules.split(/:(.*)/s);
  t.is(crontabOf({}, action), crontab);
  t.not(crontabOf({ KAFKA_BROKERS: 'kafka:9092' }, action), crontab);
  t.not(crontabOf({ PLATFORM_API_BASE_URL: 'https://platform.example' }, action), crontab);
  t.is(crontabOf({ ACTION_SCHEDULES: `${action}:5 4 * * *` }, action), '5 4 * * *');
});

test('variables that `up` has too have the same defaults there', (t) => {
  const ours = parseEnv(actionsCliEnv, {});
  const up: Record<string, unknown> = settingsOf(readUpConfig({}).env, undefined);
  for (const [name, value] of Object.entries(ours)) if (name in up) t.deepEqual(up[name], value, name);
});
