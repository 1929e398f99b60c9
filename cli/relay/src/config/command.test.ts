import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { temporaryFolder } from '../data-dir/test/folder.ts';
import { runCommand } from '../register/test/platform.ts';
import type { Shell } from '@ranger-relay/terminal';
import { configCommand } from './command.ts';

const env = {
  KAFKA_BROKERS: 'kafka:9092',
  KV_HOST: 'redis',
  PLATFORM_API_BASE_URL: 'https://api.platform.example',
  PLATFORM_SENSORS_BASE_URL: 'https://sensors.platform.example',
  PLATFORM_TOKEN_URL: 'https://auth.platform.example/token',
  PLATFORM_CLIENT_ID: 'ranger-relay',
  PLATFORM_CLIENT_SECRET: '',
};
const secrets = 'PLATFORM_CLIENT_SECRET,WEBHOOK_TOKENS_FILE,AUTH_TOKEN';

const command = (shell: Shell) => configCommand(shell, async () => true);

const check = async (component: string, more: NodeJS.ProcessEnv = {}, assumed = secrets) => {
  const args = ['config', 'check', component, '--assume-set', assumed];
  const { shell } = await runCommand(command, args, { ...env, PORT: '0', ...more });
  return { lines: shell.lines, problem: shell.errors.join(' ') };
};

const components = ['webhook-ingester', 'observation-forwarder', 'message-pusher', 'action-runner'];

for (const component of components)
  test(`the configuration of ${component} is accepted when secrets come later, and refused without them`, async (t) => {
    t.deepEqual((await check(component)).lines, [`${component} accepts this configuration.`]);
    t.regex((await check(component, {}, '')).problem, /PLATFORM_CLIENT_SECRET is not set/);
  });

for (const component of ['webhook-ingester', 'ranger-relay'])
  test(`the check of ${component} warns of a tokens file without a token, which a start accepts`, async (t) => {
    const WEBHOOK_TOKENS_FILE = join(await temporaryFolder(t), 'tokens.json');
    await writeFile(WEBHOOK_TOKENS_FILE, '{}');
    const assumed =
      'PLATFORM_CLIENT_SECRET,AUTH_TOKEN,DATA_DIR,STATUS_PORT,INGESTER_PORT,PUSHER_PORT,RUNNER_PORT,FORWARDER_PORT';
    const { lines, problem } = await check(component, { WEBHOOK_TOKENS_FILE }, assumed);
    t.is(problem, 'Warning: In WEBHOOK_TOKENS_FILE no integration has a token: every webhook is refused.');
    t.deepEqual(lines, [`${component} accepts this configuration.`]);
  });

test('directory and ports that another machine has are not looked at', async (t) => {
  const busy = createServer();
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => busy.close());
  const PORT = String((busy.address() as AddressInfo).port);
  const elsewhere = { DATA_DIR: '/proc/nope', PORT, HOST: '127.0.0.1' };
  const ports = 'PORT,STATUS_PORT,INGESTER_PORT,PUSHER_PORT,RUNNER_PORT,FORWARDER_PORT';
  const assumed = `${secrets},DATA_DIR,${ports}`;
  t.regex((await check('action-runner', elsewhere)).problem, /PORT is \d+/);
  for (const component of ['action-runner', 'ranger-relay'])
    t.is((await check(component, elsewhere, assumed)).problem, '', component);
});

for (const [component, more, problem] of [
  ['webhook-ingester', { WEBHOOK_AUTH: 'gateway' }, /WEBHOOK_TRUSTED_PROXIES/],
  [
    'webhook-ingester',
    { WEBHOOK_AUHT: 'none' },
    /WEBHOOK_AUHT is not a variable of ranger-relay; did you mean WEBHOOK_AUTH/,
  ],
  ['message-pusher', { PUSH_TIMEOUT_S: '300', MAX_ACTION_EXECUTION_TIME: '329' }, /needs at least 330/],
  ['message-pusher', { AUTH_MODE: 'oidc' }, /INTEGRATION_SERVICE_URL is not set/],
  ['action-runner', { AUTH_MODE: 'oidc' }, /AUTH_OIDC_SERVICE_ACCOUNT is not set/],
  ['action-runner', { ACTION_SCHEDULES: 'pull_nothing:0 * * * *' }, /pull_nothing/],
  [
    'action-runner',
    { ACTION_SCHEDULES: 'pull_nothing:0 * * * *; pull_events:99 * * * *; pull_observations:* 24 * * *' },
    /pull_nothing.*; "99 \* \* \* \*": minute.*; "\* 24 \* \* \*": hour/,
  ],
  [
    'action-runner',
    { ACTION_SCHEDULES: 'pull_events:0 * * * *; pull_events:5 * * * *' },
    /ACTION_SCHEDULES cannot be used: "pull_events:5 \* \* \* \*": pull_events already has a schedule/,
  ],
  [
    'action-runner',
    { ACTION_SCHEDULES: 'pull_events:0 0 31 2 *' },
    /^ACTION_SCHEDULES cannot be used: "0 0 31 2 \*": it never fires/,
  ],
  ['ranger-relay', { ACTION_SCHEDULES: 'pull_events:0 0 31 2 *' }, /never fires/],
  ['action-runner', { KAFKA_BROKERS: '' }, /KAFKA_BROKERS is not set/],
  ['action-runner', { KAFKA_TLS_CA_FILE: '/dev/null' }, /KAFKA_TLS is not true/],
  ['action-runner', { KAFKA_SASL_USERNAME: 'relay' }, /KAFKA_SASL_MECHANISM is none/],
  ['action-runner', { KV_SENTINELS: 'a:1' }, /keep one of them/],
  ['action-runner', { KV_TLS_CA_FILE: '/dev/null' }, /KV_TLS is not true/],
  ['action-runner', { KV_STATE_DB: '1' }, /takes a database of its own/],
  ['ranger-relay', { PLATFORM_TOKEN_URL: '' }, /PLATFORM_TOKEN_URL is not set/],
  [
    'ranger-relay',
    { KAFKA_BROKERS: '', PUSH_TIMEOUT_S: '300', MAX_ACTION_EXECUTION_TIME: '329' },
    /needs at least 330/,
  ],
  ['action-runner', { ACTION_SCHEDULES: 'pull_nothing:0 * * * *', KV_PORT: 'x' }, /KV_PORT[^]*pull_nothing/],
] as const)
  test(`config check ${component} refuses ${JSON.stringify(more)}`, async (t) => {
    t.regex((await check(component, more)).problem, problem);
  });
