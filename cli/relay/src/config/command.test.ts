import { readFileSync } from 'node:fs';
import { kafkaEnv, kvEnv, platformEnv, type EnvTable } from '@ranger-relay/runtime';
import { runnerEnv } from '@ranger-relay/action-runner';
import { pusherEnv } from '@ranger-relay/message-pusher';
import { forwarderEnv } from '@ranger-relay/observation-forwarder';
import { ingesterEnv } from '@ranger-relay/webhook-ingester';
import test from 'ava';
import { parse } from 'yaml';
import { runCommand } from '../register/test/platform.ts';
import { upEnv } from '../up/config.ts';
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

const check = async (component: string, more: NodeJS.ProcessEnv = {}, assumed = secrets) => {
  const args = ['config', 'check', component, '--assume-set', assumed];
  const { shell } = await runCommand(configCommand, args, { ...env, ...more });
  return { lines: shell.lines, problem: shell.errors.join(' ') };
};

const components = ['webhook-ingester', 'observation-forwarder', 'message-pusher', 'action-runner'];

for (const component of components)
  test(`the configuration of ${component} is accepted when secrets come later, and refused without them`, async (t) => {
    t.deepEqual((await check(component)).lines, [`${component} accepts this configuration.`]);
    t.regex((await check(component, {}, '')).problem, /PLATFORM_CLIENT_SECRET is not set/);
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

const chart = new URL('../../../../charts/ranger-relay/', import.meta.url);
const values = readFileSync(new URL('values.yaml', chart), 'utf8');
/** Examples count as given: a comment with one # is YAML. */
const shown = parse(values.replaceAll(/^( *)# /gm, '$1'), { uniqueKeys: false }) as Record<
  string,
  Readonly<Record<'config' | 'secrets', Readonly<Record<string, unknown>> | null>>
>;
const settings = new Set(
  [...readFileSync(new URL('templates/_env.tpl', chart), 'utf8').matchAll(/^([A-Z_]+):/gm)].map(([, name]) => name),
);
const namesIn = (block: string): readonly string[] =>
  [shown, shown[block]].flatMap((of) => Object.keys({ ...of?.['config'], ...of?.['secrets'] }));

for (const [block, table] of Object.entries({
  ingester: ingesterEnv,
  forwarder: forwarderEnv,
  pusher: pusherEnv,
  runner: runnerEnv,
}) as [string, EnvTable][])
  test(`values.yaml of the chart shows every variable of ${block}, and no other`, (t) => {
    const named = namesIn(block);
    const missing = Object.keys(table).filter((name) => !settings.has(name) && !named.includes(name));
    t.deepEqual(missing, []);
    const known = { ...table, ...kafkaEnv, ...kvEnv, ...platformEnv };
    t.deepEqual(
      named.filter((name) => !(name in known)),
      [],
    );
  });

interface Catalog {
  readonly [key: string]: { readonly config?: Readonly<Record<string, unknown>> };
}

test('defaults that the chart reads itself are those of the programs', (t) => {
  const text = readFileSync(new URL('templates/_components.tpl', chart), 'utf8');
  const catalog = parse(/define "ranger-relay\.catalog" -\}\}\n([^]*?)\{\{- end/.exec(text)?.[1] ?? '') as Catalog;
  const tables: Readonly<Record<string, EnvTable>> = { ingester: ingesterEnv, pusher: pusherEnv, runner: runnerEnv };
  for (const [block, table] of Object.entries({ ...tables, embedded: upEnv as EnvTable })) {
    const config = Object.entries(catalog[block]?.config ?? {});
    t.true(config.length > 2, block);
    for (const [name, value] of config) t.is(String(value), table[name]?.default ?? '', `${block} ${name}`);
  }
});

test('values.yaml of the chart shows what only the one process has', (t) => {
  const named = namesIn('embedded');
  const own = Object.keys(upEnv).filter((name) => /_TYPE_SLUG$|_SERVICE_URL$|^SIMULATED_/.test(name));
  t.deepEqual(
    own.filter((name) => !named.includes(name)),
    [],
  );
  t.deepEqual(
    named.filter((name) => !(name in upEnv)),
    [],
  );
});
