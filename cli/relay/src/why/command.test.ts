import { schedulerKey } from '@ranger-relay/action-runner';
import { stateKey } from '@ranger-relay/actions';
import { configKey, type Integration } from '@ranger-relay/platform';
import test, { type ExecutionContext } from 'ava';
import { goodConfig, park, password, harness, type HarnessOptions } from '../actions/test/harness.ts';
import type { Why } from './collect.ts';
import { whyCommand } from './command.ts';

const leader = 'host-1 c0ffee';

const start = async (t: ExecutionContext, options: Omit<HarnessOptions, 'commands'> = {}) => {
  const made = await harness(t, { commands: (dependencies) => [whyCommand(dependencies)], ...options });
  await made.kv.state.set(schedulerKey.leader('site_connector'), leader);
  return made;
};

const withConfig = (data: unknown, more = {}) => ({ integration: { configurations: { pull: data }, ...more } });

const entryOf = (loadedAt: number, value: unknown): string =>
  JSON.stringify({ loaded_at: new Date(loadedAt).toISOString(), value });

const cachedIntegration: Integration = { id: park, enabled: true, name: 'Park', type: { value: 'site_connector' } };

test('when nothing stands in the way the next tick runs it, and it says when and who ticks', async (t) => {
  const { json, run } = await start(t, withConfig(goodConfig));
  const why = await json<Why>('why', park, 'pull');
  t.deepEqual(why.verdict, { would_run: true, reason: null, remedy: null });
  t.deepEqual(why.schedule, { crontab: '15 * * * *', from: 'handler', next_fire: '2026-01-01T00:15:00.000Z' });
  t.deepEqual(why.scheduler, { mode: 'internal', leader, told_by: 'environment' });
  t.deepEqual(why.configuration.source, { from: 'platform' });
  const { code, out } = await run('why', park, 'pull');
  t.is(code, 0);
  t.regex(out, /^verdict +the next tick runs it$/m);
  t.regex(out, /^scheduler +host-1 c0ffee holds the schedule; .*environment of this command/m);
});

const obstacles: readonly (readonly [string, Omit<HarnessOptions, 'commands'>, RegExp])[] = [
  ['integration_disabled', withConfig(goodConfig, { enabled: false }), /Enable the integration/],
  ['no_configuration', { integration: { configurations: { auth: {} } } }, /Save a configuration/],
  ['invalid_configuration', withConfig({ ...goodConfig, days: 'many' }), /Correct the named fields/],
  ['run_on_schedule_disabled', withConfig({ days: 1 }), /Switch run_on_schedule on/],
];
for (const [reason, options, remedy] of obstacles)
  test(`the verdict names ${reason} and the remedy`, async (t) => {
    const { run, json } = await start(t, options);
    const why = await json<Why>('why', park, 'pull');
    t.is(why.verdict.reason, reason);
    t.regex(why.verdict.remedy ?? '', remedy);
    t.true((await run('why', park, 'pull')).out.includes(`the next tick does not run it: ${reason}`));
  });

test('a run that holds the lease stands in the way, since the start that the activity log tells', async (t) => {
  const { json, kv, tell, shell, run } = await start(t, withConfig(goodConfig));
  await kv.state.set(stateKey.run(park, 'pull'), 'somebody/');
  await tell(shell.clock.now() - 60_000, 'Started');
  const why = await json<Why>('why', park, 'pull');
  t.is(why.verdict.reason, 'already_running');
  t.deepEqual(why.running, { held: true, since: '2025-12-31T23:59:00.000Z' });
  t.regex((await run('why', park, 'pull')).out, /running +yes, since .*\(1 min ago\)/);
});

test('a lease whose start is not told tells no wrong one', async (t) => {
  const { json, kv, tell, shell } = await start(t, withConfig(goodConfig));
  await kv.state.set(stateKey.run(park, 'pull'), 'somebody/');
  await tell(shell.clock.now() - 60_000, 'Started');
  await tell(shell.clock.now() - 50_000, 'Complete', { result: {} });
  t.deepEqual((await json<Why>('why', park, 'pull')).running, { held: true, since: null });
});

test('schedule and mode are those of the running service, whatever the environment of the command says', async (t) => {
  const { json, run, kv } = await start(t, { ...withConfig(goodConfig), env: { SCHEDULER: 'platform' } });
  const told = { scheduler: 'internal', schedules: [{ action: 'pull', crontab: '0 3 * * *', source: 'registration' }] };
  await kv.state.set(schedulerKey.schedules('site_connector'), JSON.stringify(told));
  const why = await json<Why>('why', park, 'pull');
  t.deepEqual(why.schedule, { crontab: '0 3 * * *', from: 'registration', next_fire: '2026-01-01T03:00:00.000Z' });
  t.deepEqual(why.scheduler, { mode: 'internal', leader, told_by: 'service' });
  t.regex((await run('why', park, 'pull')).out, /^scheduler +host-1 c0ffee holds the schedule$/m);
});

test('the leader is that of the type of the integration', async (t) => {
  const { json, kv } = await start(t, withConfig(goodConfig));
  await kv.state.delete(schedulerKey.leader('site_connector'));
  await kv.state.set(schedulerKey.leader('weather_connector'), leader);
  t.is((await json<Why>('why', park, 'pull')).verdict.reason, 'no_scheduler_leader');
});

test('without a leader nobody ticks, unless the platform does', async (t) => {
  const { json, kv } = await start(t, withConfig(goodConfig));
  await kv.state.delete(schedulerKey.leader('site_connector'));
  t.is((await json<Why>('why', park, 'pull')).verdict.reason, 'no_scheduler_leader');
  const other = await start(t, { ...withConfig(goodConfig), env: { SCHEDULER: 'platform' } });
  await other.kv.state.delete(schedulerKey.leader('site_connector'));
  t.is((await other.json<Why>('why', park, 'pull')).verdict.reason, null);
});

test('an action that is no pull has no tick', async (t) => {
  const { json } = await start(t, { integration: { configurations: { auth: {} } } });
  const why = await json<Why>('why', park, 'auth');
  t.is(why.schedule, null);
  t.is(why.verdict.reason, 'not_scheduled');
});

test('what of the configuration does not fit is told by field; no secret is shown anywhere', async (t) => {
  const { run, json } = await start(t, withConfig({ ...goodConfig, days: password, password: [password] }));
  const why = await json<Why>('why', park, 'pull');
  t.deepEqual(
    why.configuration.problems.map(({ path }) => path),
    ['days', 'password'],
  );
  const valid = await start(t, withConfig(goodConfig));
  for (const { out, err } of [await run('why', park, 'pull'), await valid.run('why', park, 'pull')]) {
    t.false(out.replaceAll(`"days":"${password}"`, '').includes(password));
    t.false(err.includes(password));
    t.regex(out, /"password":"\*{10}"/);
  }
});

test('a fresh entry of the cache is told as that, with its age, and the platform is not asked', async (t) => {
  const { json, kv, platform, shell, run } = await start(t, withConfig({ days: 7 }));
  const at = shell.clock.now() - 240_000;
  await kv.config.set(configKey.integration(park), entryOf(at, cachedIntegration));
  await kv.config.set(configKey.action(park, 'pull'), entryOf(at, { action: { value: 'pull' }, data: goodConfig }));
  const why = await json<Why>('why', park, 'pull');
  t.deepEqual(why.configuration.source, { from: 'cache', age_seconds: 240, fresh_seconds: 3_600 });
  t.is((why.configuration.config as { days: number }).days, 2);
  t.deepEqual(platform?.stats().calls, {});
  t.regex((await run('why', park, 'pull')).out, /from the cache, 4 min old, reloaded after 1 h/);
});

test('a negative entry is told as that', async (t) => {
  const { run, json, kv, shell } = await start(t, withConfig(goodConfig));
  const at = shell.clock.now() - 40_000;
  await kv.config.set(configKey.integration(park), entryOf(at, cachedIntegration));
  await kv.config.set(configKey.action(park, 'pull'), entryOf(at, null));
  t.is((await json<Why>('why', park, 'pull')).verdict.reason, 'no_configuration');
  t.regex((await run('why', park, 'pull')).out, /absent in the cache \(negative entry\), 40 s old/);
});

test('while the platform is away the last known good serves and says so; without any the command fails', async (t) => {
  const { json, kv, platform, shell, run } = await start(t, withConfig({ days: 7 }));
  await platform?.goDown();
  const { code, err } = await run('why', park, 'pull');
  t.is(code, 1);
  t.regex(err, /The platform is unreachable/);
  const at = shell.clock.now() - 2 * 3_600_000;
  await kv.config.set(configKey.integration(park), entryOf(at, cachedIntegration));
  await kv.config.set(configKey.action(park, 'pull'), entryOf(at, { action: { value: 'pull' }, data: goodConfig }));
  const why = await json<Why>('why', park, 'pull');
  t.is(why.configuration.source.from, 'last_known_good');
  t.is(why.integration.source.from, 'last_known_good');
  t.regex(
    (await run('why', park, 'pull')).out,
    /the last known good of the cache, 2 h old; The platform is unreachable/,
  );
});

test('without a configured platform the cache alone is looked at', async (t) => {
  const { json, kv, shell, run } = await start(t, { integration: null });
  t.regex((await run('why', park, 'pull')).err, /PLATFORM_API_BASE_URL and the other PLATFORM_ variables are not set/);
  const at = shell.clock.now();
  await kv.config.set(configKey.integration(park), entryOf(at, cachedIntegration));
  await kv.config.set(configKey.action(park, 'pull'), entryOf(at, { action: { value: 'pull' }, data: goodConfig }));
  t.true((await json<Why>('why', park, 'pull')).verdict.would_run);
});

test('looking changes nothing, not even the cache', async (t) => {
  const { run, kv, entries } = await start(t, withConfig(goodConfig));
  const before = await kv.state.list('');
  t.is((await run('why', park, 'pull')).code, 0);
  t.deepEqual(await kv.config.list(''), []);
  t.deepEqual(await kv.state.list(''), before);
  t.deepEqual(await entries(), []);
});

test('the last runs come from the activity log, newest first, with their ends', async (t) => {
  const { json, tell, shell, run } = await start(t, withConfig(goodConfig));
  const now = shell.clock.now();
  await tell(now - 9_000, 'Started');
  await tell(now - 8_000, 'Complete', { result: { events: 3 } });
  await tell(now - 7_000, 'Started', {}, 'auth');
  await tell(now - 6_000, 'Started');
  await tell(now - 5_000, 'Failed', { error: 'No connection' });
  await tell(now - 4_000, 'Started');
  await tell(now - 3_000, 'Started');
  const why = await json<Why>('why', park, 'pull');
  t.deepEqual(
    why.last_runs?.map(({ outcome, detail }) => [outcome, detail]),
    [
      ['open', null],
      ['open', null],
      ['failed', 'No connection'],
      ['complete', { events: 3 }],
    ],
  );
  t.regex((await run('why', park, 'pull')).out, /failed after 1 s {2}No connection/);
});

test('what does not exist is named: the integration, its type, the action', async (t) => {
  const { run } = await start(t, withConfig(goodConfig));
  const nobody = '00000000-0000-4000-8000-000000000000';
  t.regex((await run('why', nobody, 'pull')).err, new RegExp(`The integration ${nobody} is not known`));
  t.regex((await run('why', park, 'fly')).err, /have no action fly; they have auth, pull/);
  const other = await start(t, { integration: { type: 'toaster' } });
  t.regex((await other.run('why', park, 'pull')).err, /is of the type toaster, which has no actions here/);
  t.is((await run('why', '', 'pull')).code, 2);
});

test('a store that is away ends it with 1 and a sentence', async (t) => {
  const { run, kv } = await start(t, withConfig(goodConfig));
  kv.state.away = true;
  const { code, err } = await run('why', park, 'pull');
  t.is(code, 1);
  t.true(err.length > 0);
});

test('it tells how far the pull has come, what is unfinished, and a watermark of the future', async (t) => {
  const { json, kv, shell, run } = await start(t, withConfig(goodConfig));
  t.like((await json<Why>('why', park, 'pull')).pull, { watermark: null, unfinished: [] });
  const at = (ms: number): string => new Date(shell.clock.now() + ms).toISOString();
  const state = { last_execution: at(-60_000), ranges: [{ from: at(-8e9), to: null }] };
  await kv.state.set(stateKey.of(park, 'pull'), JSON.stringify(state));
  t.regex((await run('why', park, 'pull')).out, /pull +at .* \(1 min ago\)\n.*continues with a back-fill/);
  await kv.state.set(stateKey.of(park, 'pull'), JSON.stringify({ last_execution: at(86_400_000) }));
  t.is((await json<Why>('why', park, 'pull')).pull?.ahead_seconds, 86_400);
  t.regex((await run('why', park, 'pull')).out, /1 d in the future of the site; the next run corrects it/);
});
