import { defaultSettings, readSettings } from '@ranger-relay/device';
import type { TypeRegistration } from '@ranger-relay/platform';
import test from 'ava';
import { registerCommand } from './command.ts';
import { platformFor, runCommand, variablesOf } from './test/platform.ts';

const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  runCommand(registerCommand, ['register', ...args], env);

const jsonOf = (lines: readonly string[]) =>
  JSON.parse(lines.join('\n')) as { sent: TypeRegistration; answer: unknown };

for (const service of ['action-runner', 'message-pusher'])
  test(`the platform takes what ${service} is registered with, again and again`, async (t) => {
    const platform = await platformFor(t);
    const env = { ...variablesOf(platform), INTEGRATION_SERVICE_URL: 'https://relay.example/base' };
    const schedules = service === 'action-runner' ? ['--schedule', 'pull_events:0 6 * jan-jun 5-7'] : [];
    for (let n = 0; n < 2; n += 1) {
      const { shell, code } = await run(['--service', service, '--output', 'json', ...schedules], env);
      t.is(code, 0, shell.errors.join());
      const { sent, answer } = jsonOf(shell.lines);
      t.like(answer, { value: sent.value, name: sent.name, service_url: 'https://relay.example/base/' });
      const type = platform.types.get(sent.value);
      t.deepEqual(
        type?.actions.map(({ value }) => value),
        sent.actions.map(({ value }) => value),
      );
      t.is(type?.webhook?.value, service === 'message-pusher' ? 'device_connector_webhook' : undefined);
    }
    t.deepEqual(platform.stats().violations, {});
  });

test('a schedule of the call wins over that of the environment, and what follows it is said', async (t) => {
  const env = { ACTION_SCHEDULES: 'pull_events:1 * * * *;pull_observations:2 * * * *' };
  const args = ['--dry-run', '--output', 'json', '--schedule', 'pull_events:0 */4 13 * 5 -5'];
  const { shell, code } = await run(args, env);
  t.is(code, 0, shell.errors.join());
  const { sent, answer } = jsonOf(shell.lines);
  const membersOf = (id: string) => sent.actions.find(({ value }) => value === id)?.crontab_schedule;
  t.like(membersOf('pull_events'), { minute: '0', hour: '*/4', day_of_month: '13', day_of_week: '5', tz_offset: -5 });
  t.like(membersOf('pull_observations'), { minute: '2', tz_offset: 0 });
  t.is(answer, null);
  t.regex(shell.errors.join('\n'), /restricts both kinds of days/);
  t.regex(shell.errors.join('\n'), /follows ACTION_SCHEDULES/);
  t.notRegex((await run(args, { SCHEDULER: 'platform' })).shell.errors.join(), /follows ACTION_SCHEDULES/);
});

test('a dry run sends nothing and needs no platform', async (t) => {
  const { shell, code } = await run(['--dry-run']);
  t.is(code, 0);
  t.is(shell.lines.at(-1), 'Nothing was sent.');
});

test('a client that is no superuser is told so', async (t) => {
  const platform = await platformFor(t, { tokens: { superuser: false } });
  const { shell, code } = await run([], variablesOf(platform));
  t.not(code, 0);
  t.regex(shell.errors.join(), /only a superuser may register types/);
  t.is(platform.types.get('site_connector'), undefined);
});

for (const [what, args, env, sentence] of [
  ['a slug with other signs', [], { INTEGRATION_TYPE_SLUG: 'a-b' }, /^INTEGRATION_TYPE_SLUG is "a-b"/],
  ['a schedule of no pull action', ['--schedule', 'auth:* * * * *'], {}, /"auth" is no pull action/],
  ['no platform', [], {}, /^PLATFORM_API_BASE_URL is not set/],
] as [string, string[], NodeJS.ProcessEnv, RegExp][])
  test(`${what} is refused in one sentence`, async (t) => {
    const { shell, code } = await run(args, env);
    t.not(code, 0);
    t.regex(shell.errors[0] ?? '', sentence);
  });

test('neither the client’s secret nor a token is printed', async (t) => {
  const platform = await platformFor(t, { client: { id: 'relay', secret: 'canary-value' } });
  const { shell } = await run([], variablesOf(platform));
  t.notRegex([...shell.lines, ...shell.errors].join(), /canary-value|Bearer/);
});

test('the published webhook settings have the defaults that the ingester has', async (t) => {
  const { shell } = await run(['--service', 'message-pusher', '--dry-run', '--output', 'json']);
  const { webhook } = jsonOf(shell.lines).sent;
  const { properties = {} } = (webhook?.schema ?? {}) as { properties?: Record<string, { default: unknown }> };
  const published = Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, schema.default]));
  t.deepEqual(readSettings(published), { settings: defaultSettings, ignored: [] });
  t.deepEqual(Object.keys(published).sort(), [
    'include_messages',
    'include_no_fix',
    'include_observations',
    'message_codes',
  ]);
});
