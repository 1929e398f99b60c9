import test from 'ava';
import { parseRunnerConfig } from './config.ts';
import { runnerSchedules, runnerType } from './runner-type.ts';

test('the defaults are those of the contract', (t) => {
  t.like(parseRunnerConfig({}), {
    PORT: 8083,
    INTEGRATION_TYPE_SLUG: 'site_connector',
    SCHEDULER: 'internal',
    REGISTER_ON_START: false,
    MAX_ACTION_EXECUTION_TIME: 540,
  });
});

test('flags may be spelled as in the specification', (t) => {
  for (const [text, value] of [
    ['True', true],
    ['False', false],
    ['1', true],
  ] as const)
    t.is(parseRunnerConfig({ REGISTER_ON_START: text }).REGISTER_ON_START, value);
});

for (const env of [{ SCHEDULER: 'both' }, { PORT: 'x' }, { INTEGRATION_SERVICE_URL: 'here' }])
  test(`${JSON.stringify(env)} stops the start with a sentence that names the variable`, (t) => {
    const [name] = Object.keys(env);
    t.true(t.throws(() => parseRunnerConfig(env)).message.startsWith(String(name)));
  });

test('a schedule of the environment for an action that is no pull is refused', (t) => {
  const type = runnerType({ ACTION_SCHEDULES: 'auth:* * * * *' });
  t.regex(t.throws(() => runnerSchedules(type)).message, /"auth" is no pull action/);
});
