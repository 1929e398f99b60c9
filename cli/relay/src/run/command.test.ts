import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stateKey } from '@ranger-relay/actions';
import { RelayError } from '@ranger-relay/errors';
import { loopbackServer } from '@ranger-relay/http/testing';
import test, { type ExecutionContext } from 'ava';
import { goodConfig, park, password, harness, type HarnessOptions } from '../actions/test/harness.ts';
import type { DryRun } from './dry-run.ts';
import { runCommand } from './command.ts';

/** A service that answers all alike. */
const service = (t: ExecutionContext, status = 200, answer: unknown = { events: 3 }) =>
  loopbackServer(t, () => new Response(typeof answer === 'string' ? answer : JSON.stringify(answer), { status }));

/** Not that of the checkout, where `up` may have left a token. */
const noDirectory = join(tmpdir(), 'relay-run-without-directory');

const start = (t: ExecutionContext, options: Omit<HarnessOptions, 'commands'> = {}) =>
  harness(t, {
    integration: null,
    commands: (dependencies) => [runCommand(dependencies)],
    ...options,
    env: { DATA_DIR: noDirectory, ...options.env },
  });

test('an override that the action would not look at is refused, with what may have been meant', async (t) => {
  const { run } = await start(t);
  for (const dry of [[], ['--dry-run']]) {
    const { code, err } = await run('run', 'pull', '--integration', park, '--override', 'dyas=3', ...dry);
    t.is(code, 2);
    t.regex(err, /pull has no setting dyas; did you mean days\?/);
  }
  const far = await run('run', 'pull', '--integration', park, '--override', '{"days":1,"something":2}');
  t.regex(far.err, /pull has no setting something; it has .*days/);
  t.notRegex(far.err, /unexpected/);
});

test('an override is looked at before bus and store are opened', async (t) => {
  let opened = 0;
  const openStores = async (): Promise<never> => {
    opened += 1;
    throw new RelayError('store_closed', { details: { path: 'x', reason: 'test' } });
  };
  const { run } = await harness(t, {
    integration: null,
    env: { DATA_DIR: noDirectory },
    commands: (dependencies) => [runCommand({ ...dependencies, openStores })],
  });
  const { err } = await run('run', 'pull', '--integration', park, '--override', 'dyas=3', '--dry-run');
  t.regex(err, /did you mean days/);
  t.is(opened, 0);
});

test('an action is run through its service with the token, and its result is printed', async (t) => {
  const { origin, requests } = await service(t);
  const { run } = await start(t, { env: { RUNNER_URL: origin, AUTH_TOKEN: 'first, second' } });
  const { code, out } = await run('run', 'pull', '--integration', park, '--override', 'days=3');
  t.is(code, 0);
  t.deepEqual(JSON.parse(out), { events: 3 });
  t.is(requests.length, 1);
  t.like(requests[0], { url: '/v1/actions/execute', headers: { authorization: 'Bearer first' } });
  t.deepEqual(JSON.parse(requests[0]?.body ?? ''), {
    integration_id: park,
    action_id: 'pull',
    run_in_background: false,
    config_overrides: { days: 3 },
    triggered_by: 'manual',
  });
});

test('credentials that are not valid end with 1', async (t) => {
  for (const [valid, end] of [
    [true, 0],
    [false, 1],
  ] as const) {
    const { origin } = await service(t, 200, { valid_credentials: valid });
    const { run } = await start(t, { env: { RUNNER_URL: origin, PUSHER_URL: origin, AUTH_TOKEN: 'first' } });
    t.is((await run('run', 'pull', '--integration', park)).code, end);
  }
});

test('the token that `up` keeps in its directory is used when none is given', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'relay-run-'));
  t.teardown(() => rm(directory, { recursive: true }));
  await mkdir(join(directory, 'secrets'));
  await writeFile(join(directory, 'secrets', 'actions-token'), 'kept\n');
  const { origin, requests } = await service(t);
  const { run } = await start(t, { env: { DATA_DIR: directory } });
  t.is((await run('run', 'pull', '--integration', park, '--url', `${origin}/`)).code, 0);
  t.like(requests[0], { url: '/v1/actions/execute', headers: { authorization: 'Bearer kept' } });
});

test('each action goes to the service that has it; one that several have to that of the integration’s type', async (t) => {
  const runner = await service(t, 200, 'runner'.length);
  const pusher = await service(t, 200, 0);
  const env = { RUNNER_URL: runner.origin, PUSHER_URL: pusher.origin };
  const { run } = await start(t, { env, integration: {} });
  t.is((await run('run', 'push', '--integration', park)).out, '0');
  t.is((await run('run', 'pull', '--integration', park)).out, '6');
  t.is((await run('run', 'auth', '--integration', park)).out, '6');
  t.deepEqual([runner.requests.length, pusher.requests.length], [2, 1]);
});

test('--scheduled asks as a tick does; a skip ends with 1, its reason and the remedy', async (t) => {
  const { origin, requests } = await service(t, 200, { skipped: true, reason: 'run_on_schedule_disabled' });
  const { run, json } = await start(t, { env: { RUNNER_URL: origin } });
  const { code, out, err } = await run('run', 'pull', '--integration', park, '--scheduled');
  t.is(code, 1);
  t.is(out, '');
  t.regex(err, /It was not run: run_on_schedule_disabled\. Switch run_on_schedule on/);
  t.like(JSON.parse(requests[0]?.body ?? ''), { triggered_by: 'auto' });
  t.deepEqual(await json('run', 'pull', '--integration', park), {
    outcome: 'skipped',
    reason: 'run_on_schedule_disabled',
  });
});

test('a failed action ends with 1 and what the service tells, without secrets', async (t) => {
  const detail = {
    error: 'Authentication failed — no (HTTP 401)',
    config_data: { password },
    request_verb: 'GET',
    request_url: 'https://site.example/api?token=abc',
    server_response_status: 401,
  };
  const { origin } = await service(t, 500, { detail });
  const { run } = await start(t, { env: { RUNNER_URL: origin } });
  const text = await run('run', 'pull', '--integration', park);
  t.is(text.code, 1);
  t.regex(text.err, /The action failed \(HTTP 500\): Authentication failed — no \(HTTP 401\)/);
  t.regex(text.err, /It called GET https:\/\/site\.example\/api\?\*+, which answered 401/);
  const json = await run('run', 'pull', '--integration', park, '--output', 'json');
  t.is(json.code, 1);
  t.like(JSON.parse(json.out), {
    outcome: 'failed',
    http_status: 500,
    detail: { config_data: { password: '**********' } },
  });
});

const unusable: readonly (readonly [string, number, unknown, RegExp])[] = [
  [
    'a request that the service cannot read',
    422,
    { detail: [{ loc: ['body', 'x'], msg: 'wrong', type: 'y' }] },
    /body\.x: wrong/,
  ],
  [
    'a caller that is not taken',
    401,
    { detail: { code: 'x', error: 'no' } },
    /refuses the caller: no token is configured/,
  ],
  ['something else on that port', 404, '<html>', /is not the action-runner: it answered 404/],
  ['an answer that is no JSON', 200, '<html>', /is not the action-runner: its answer is not JSON/],
  ['a redirect', 302, '', /is not the action-runner: it answered 302/],
];
for (const [what, status, answer, sentence] of unusable)
  test(`${what} ends with 1 and a sentence`, async (t) => {
    const { origin } = await service(t, status, answer);
    const { run } = await start(t, { env: { RUNNER_URL: origin } });
    const { code, err } = await run('run', 'pull', '--integration', park);
    t.is(code, 1);
    t.regex(err, sentence);
  });

test('where no service listens the sentence says which and how to name it', async (t) => {
  const { run } = await start(t, { env: { RUNNER_URL: 'http://127.0.0.1:1' } });
  const { code, err } = await run('run', 'pull', '--integration', park);
  t.is(code, 1);
  t.regex(err, /No answer from the action-runner at http:\/\/127\.0\.0\.1:1/);
  t.regex(err, /--url, RUNNER_URL or PUSHER_URL/);
});

test('an interruption ends the wait with 130 and says that the run goes on', async (t) => {
  const { port } = await loopbackServer(t, () => {
    shell.interrupt();
    return new Promise(() => undefined);
  });
  const { run, shell } = await start(t, { env: { RUNNER_URL: `http://127.0.0.1:${port}` } });
  const { code, err } = await run('run', 'pull', '--integration', park);
  t.is(code, 130);
  t.regex(err, /the run continues in the service/);
});

test('where nothing runs on DATA_DIR, no service of another installation is asked', async (t) => {
  const { port, requests } = await service(t);
  const { run } = await start(t, { env: { RUNNER_PORT: String(port), PUSHER_PORT: String(port) } });
  for (const action of ['pull', 'push']) {
    const { code, err } = await run('run', action, '--integration', park);
    t.is(code, 1);
    t.regex(err, /none runs there/);
  }
  t.deepEqual(requests, []);
});

test('an action that nobody has is named with those that there are, before anything is sent', async (t) => {
  const { run } = await start(t);
  const { code, err } = await run('run', 'fly', '--integration', park);
  t.is(code, 2);
  t.regex(err, /There is no action fly; the actions are auth \(device_connector\), push \(device_connector\)/);
});

test('a dry run sends nothing and shows the request and the configuration with secrets masked', async (t) => {
  const { origin, requests } = await service(t);
  const env = { RUNNER_URL: origin };
  const { run, json } = await start(t, { env, integration: { configurations: { pull: goodConfig } } });
  const args = ['run', 'pull', '--integration', park, '--override', 'password="another-word"', '--dry-run'] as const;
  const found = await json<DryRun>(...args);
  t.is(found.request.url, `${origin}/v1/actions/execute`);
  t.deepEqual(found.request.body.config_overrides, { password: '**********' });
  t.deepEqual(found.configuration.config, { days: 2, password: '**********', run_on_schedule: true });
  t.true(found.verdict.would_run);
  const { code, out } = await run(...args);
  t.is(code, 0);
  t.regex(out, /It would run; nothing was sent\./);
  for (const secret of [password, 'another-word']) t.false(out.includes(secret));
  t.deepEqual(requests, []);
});

test('a dry run says why it would not run, and ends with 1', async (t) => {
  const env = { RUNNER_URL: 'http://runner.test' };
  const { run, kv } = await start(t, { env, integration: { configurations: { pull: goodConfig } } });
  const dry = ['run', 'pull', '--integration', park, '--dry-run'] as const;
  const wrong = await run(...dry, '--override', 'days="many"');
  t.is(wrong.code, 1);
  t.regex(wrong.out, /It would not run: action_config_invalid/);
  t.regex(wrong.out, /^ {2}days: /m);
  await kv.state.set(stateKey.run(park, 'pull'), 'somebody/');
  t.regex((await run(...dry)).out, /It would not run: already_running/);
});

test('a manual dry run ignores the switch of the schedule, a scheduled one does not', async (t) => {
  const env = { RUNNER_URL: 'http://runner.test' };
  const { json } = await start(t, { env, integration: { configurations: { pull: { days: 1 } } } });
  const dry = ['run', 'pull', '--integration', park, '--dry-run'] as const;
  t.true((await json<DryRun>(...dry)).verdict.would_run);
  t.is((await json<DryRun>(...dry, '--scheduled')).verdict.reason, 'run_on_schedule_disabled');
});
