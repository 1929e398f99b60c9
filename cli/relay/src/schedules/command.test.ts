import { schedulerKey } from '@ranger-relay/action-runner';
import { RelayError } from '@ranger-relay/errors';
import { memoryKv } from '@ranger-relay/kv/testing';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { platformFor, runCommand, variablesOf } from '../register/test/platform.ts';
import { type Schedules, schedulesCommand } from './command.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const broken = 'aaaaaaaa-0000-4000-8000-000000000003';
const start = '2025-12-01T00:00:00Z';
const env = { ACTION_SCHEDULES: 'pull_events:0 */4 * * * -5' };

const noStore = () => Promise.reject(new RelayError('kv_unavailable', { details: { reason: 'test' } }));

const run = (args: readonly string[], more: NodeJS.ProcessEnv = {}, openKv = noStore as () => Promise<never>) =>
  runCommand((shell) => schedulesCommand({ shell, openKv }), ['schedules', ...args], { ...env, ...more });

const found = async (args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Schedules> => {
  const { shell } = await run([...args, '--output', 'json'], more);
  return JSON.parse(shell.lines.join('\n')) as Schedules;
};

const withStore = async (values: Readonly<Record<string, string>>) => {
  const kv = memoryKv(manualClock());
  for (const [key, value] of Object.entries(values)) await kv.state.set(key, value);
  return (() => Promise.resolve({ ...kv, close: async () => undefined })) as () => Promise<never>;
};

test('the next instants are told in UTC and in the schedule’s own time, with where the schedule comes from', async (t) => {
  const { actions, type } = await found(['--count', '2']);
  t.is(type, 'site_connector');
  t.deepEqual(
    actions.find(({ action }) => action === 'pull_events'),
    {
      action: 'pull_events',
      crontab: '0 */4 * * * -5',
      source: 'registration',
      next: [
        { utc: '2026-01-01T01:00Z', local: '2025-12-31T20:00-05:00' },
        { utc: '2026-01-01T05:00Z', local: '2026-01-01T00:00-05:00' },
      ],
    },
  );
  t.is(actions.find(({ action }) => action === 'pull_observations')?.next.length, 2);
});

test('the schedules are those of the running service, whatever the environment of the command says', async (t) => {
  const told = {
    scheduler: 'internal',
    schedules: [{ action: 'pull_weather', crontab: '0 3 * * *', source: 'registration' }],
  };
  const openKv = await withStore({ [schedulerKey.schedules('site_connector')]: JSON.stringify(told) });
  const other = { SCHEDULER: 'platform', ACTION_SCHEDULES: 'nonsense' };
  const { shell, code } = await run(['--count', '1'], other, openKv);
  t.is(code, 0, shell.errors.join('\n'));
  const out = shell.lines.join('\n');
  t.regex(out, /^pull_weather +2026-01-01T03:00Z/m);
  t.notRegex(out, /pull_events|environment of this command/);
  t.regex(out, /No leader is known/);
});

test('the only service that runs is told, also when the environment of the command does not name its type', async (t) => {
  const told = { scheduler: 'internal', schedules: [{ action: 'pull', crontab: '0 3 * * *', source: 'handler' }] };
  const openKv = await withStore({
    [schedulerKey.schedules('weather_connector')]: JSON.stringify(told),
    [schedulerKey.leader('weather_connector')]: 'host-1 abc',
  });
  const { shell } = await run(['--count', '1'], {}, openKv);
  t.regex(shell.lines[0] ?? '', /^Integration type weather_connector\. The leader is host-1 abc/);
});

test('without a running service it says that the environment of the command is told', async (t) => {
  const { shell } = await run([]);
  t.regex(shell.lines.join('\n'), /these are the schedules of the environment of this command/);
});

test('leader and last tick are told when the store can be read', async (t) => {
  const openKv = await withStore({
    [schedulerKey.leader('site_connector')]: 'host-1 abc',
    [schedulerKey.mark('site_connector')]: '2026-01-01T00:00:00.000Z',
  });
  const { shell, code } = await run([], {}, openKv);
  t.is(code, 0);
  t.is(
    shell.lines[0],
    'Integration type site_connector. The leader is host-1 abc; last tick 2026-01-01T00:00:00.000Z.',
  );
});

test('a store that cannot be read hinders nothing', async (t) => {
  const { shell, code } = await run([]);
  t.is(code, 0);
  t.regex(shell.errors.join(), /^The schedules of the running service are unknown: /);
  t.regex(shell.lines[0] ?? '', /No leader is known\.$/);
});

test('when the platform ticks, nobody is said to be the leader', async (t) => {
  const openKv = await withStore({ [schedulerKey.leader('site_connector')]: 'host-1 abc' });
  const { shell } = await run([], { SCHEDULER: 'platform' }, openKv);
  t.deepEqual(shell.errors, []);
  t.notRegex(shell.lines.join(), /host-1/);
  t.regex(shell.lines[0] ?? '', /The platform starts the scheduled actions, as registered/);
});

test('for an integration it is told whether the schedules have an effect', async (t) => {
  const platform = await platformFor(t, {
    integrations: [
      {
        id: park,
        configurations: {
          pull_events: { run_on_schedule: true, start_datetime: start },
          pull_observations: { start_datetime: start },
        },
      },
      { id: broken, configurations: { pull_events: { run_on_schedule: true } } },
    ] as never,
  });
  const { actions } = await found(['--integration', park], variablesOf(platform));
  t.like(Object.fromEntries(actions.map(({ action, runs }) => [action, runs])), {
    pull_events: 'yes',
    pull_observations: 'run_on_schedule off',
  });
  const { actions: skipped } = await found(['--integration', broken], variablesOf(platform));
  t.like(Object.fromEntries(skipped.map(({ action, runs }) => [action, runs])), {
    pull_events: 'invalid configuration',
    pull_observations: 'no configuration',
  });
  const { shell, code } = await run(['--integration', 'bbbbbbbb-0000-4000-8000-000000000002'], variablesOf(platform));
  t.not(code, 0);
  t.regex(shell.errors.join(), /is not known to the platform/);
});
