import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { runnerEnv } from '@ranger-relay/action-runner';
import { pusherEnv } from '@ranger-relay/message-pusher';
import { forwarderEnv } from '@ranger-relay/observation-forwarder';
import { misspeltVariables, refuseEnv, type EnvTable } from '@ranger-relay/runtime';
import { aloneEnv } from '@ranger-relay/service';
import { ingesterEnv } from '@ranger-relay/webhook-ingester';
import { actionsCliEnv } from '../actions/env.ts';
import { probeEnv } from '../probe/parts.ts';
import { topicsEnv } from '../topics/env.ts';
import { isSimulated, readUpConfig, runsActions, type UpConfig, upEnv } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'relay-up-config-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));
const tokensFile = join(folder, 'tokens.json');
writeFileSync(tokensFile, '{"5e0c3c5e-0000-4000-8000-000000000001":["first-token"]}');

const parseUpConfig = (source: NodeJS.ProcessEnv): UpConfig => {
  const { env, problems } = readUpConfig(source);
  refuseEnv(problems);
  return env;
};

const real = {
  PLATFORM_API_BASE_URL: 'https://api.example',
  PLATFORM_SENSORS_BASE_URL: 'https://sensors.example',
  PLATFORM_TOKEN_URL: 'https://auth.example/token',
  PLATFORM_CLIENT_ID: 'me',
  PLATFORM_CLIENT_SECRET: 'CANARY-secret',
  WEBHOOK_TOKENS_FILE: tokensFile,
};

/** Only the name is checked here: its value may be wrong. */
const problemsOfNames = (name: string): void => {
  try {
    parseUpConfig({ [name]: 'x' });
  } catch (error) {
    if (/is not a variable/.test((error as Error).message)) throw error;
  }
};

const problem = (t: import('ava').ExecutionContext, env: Record<string, string>): string =>
  t.throws(() => parseUpConfig(env), { name: 'RelayError' })?.message ?? '';

test('without a platform it simulates one, on the documented ports', (t) => {
  const config = parseUpConfig({});
  t.true(isSimulated(config));
  t.like(config, { STATUS_PORT: 8080, INGESTER_PORT: 8081, FORWARDER_PORT: 8084, DATA_DIR: '.data' });
  t.like(config, { PUSHER_PORT: 8082, RUNNER_PORT: 8083, RUNNER_TYPE_SLUG: 'site_connector' });
});

test('with a platform it is the real thing', (t) => {
  t.false(isSimulated(parseUpConfig(real)));
});

test('half a platform is refused by the name of what is missing', (t) => {
  const { PLATFORM_TOKEN_URL: _, ...half } = real;
  t.regex(problem(t, half), /^PLATFORM_TOKEN_URL is not set, but other PLATFORM_ variables are/);
});

test('a misspelt variable of the platform stops the start instead of starting simulators', (t) => {
  const sentence = 'PLATFORM_API_BASEURL is not a variable of ranger-relay; did you mean PLATFORM_API_BASE_URL?';
  t.is(problem(t, { PLATFORM_API_BASEURL: 'https://api.example' }), sentence);
});

for (const [name, instead] of [
  ['INTEGRATION_TYPE_SLUG', /PUSHER_TYPE_SLUG and RUNNER_TYPE_SLUG/],
  ['INTEGRATION_SERVICE_URL', /PUSHER_SERVICE_URL and RUNNER_SERVICE_URL/],
  ['INTEGRATION_COMMANDS_TOPIC', /<type>-actions-topic/],
] as const)
  test(`${name}, which one service alone takes, is refused and not passed over where both could be meant`, (t) => {
    const sentence = problem(t, { [name]: 'https://x.example' });
    t.regex(sentence, new RegExp(`^${name} is for one service alone`));
    t.regex(sentence, instead);
  });

for (const [what, env, effect] of [
  ['the type of one', { INTEGRATION_TYPE_SLUG: 'site_connector' }, { RUNNER_TYPE_SLUG: 'site_connector' }],
  [
    'the only type that is left open',
    { RUNNER_TYPE_SLUG: 'ours', INTEGRATION_TYPE_SLUG: 'devices' },
    { PUSHER_TYPE_SLUG: 'devices', RUNNER_TYPE_SLUG: 'ours' },
  ],
  [
    'the address of the service of that type',
    { INTEGRATION_TYPE_SLUG: 'device_connector', INTEGRATION_SERVICE_URL: 'https://p.example' },
    { PUSHER_SERVICE_URL: 'https://p.example', RUNNER_SERVICE_URL: undefined },
  ],
  [
    'the address that one has',
    { RUNNER_SERVICE_URL: 'https://r.example', INTEGRATION_SERVICE_URL: 'https://r.example' },
    { RUNNER_SERVICE_URL: 'https://r.example', PUSHER_SERVICE_URL: undefined },
  ],
  [
    'the only address that is left open',
    { RUNNER_SERVICE_URL: 'https://r.example', INTEGRATION_SERVICE_URL: 'https://p.example' },
    { PUSHER_SERVICE_URL: 'https://p.example' },
  ],
  [
    'the topic of one',
    { INTEGRATION_COMMANDS_TOPIC: 'site_connector-actions-topic' },
    { RUNNER_TYPE_SLUG: 'site_connector' },
  ],
  [
    'the topic of the service of that type',
    { RUNNER_TYPE_SLUG: 'ours', INTEGRATION_TYPE_SLUG: 'ours', INTEGRATION_COMMANDS_TOPIC: 'ours-actions-topic' },
    { RUNNER_TYPE_SLUG: 'ours' },
  ],
] as const)
  test(`one environment serves up, register and the services: what one service reads may name ${what}`, (t) => {
    t.like(parseUpConfig(env), effect);
  });

for (const [what, env] of [
  ['a type beside both', { PUSHER_TYPE_SLUG: 'a', RUNNER_TYPE_SLUG: 'b', INTEGRATION_TYPE_SLUG: 'c' }],
  [
    'an address of a service that has another',
    {
      INTEGRATION_TYPE_SLUG: 'device_connector',
      PUSHER_SERVICE_URL: 'https://a.example',
      INTEGRATION_SERVICE_URL: 'https://b.example',
    },
  ],
  [
    'the topic of the other service',
    { INTEGRATION_TYPE_SLUG: 'device_connector', INTEGRATION_COMMANDS_TOPIC: 'site_connector-actions-topic' },
  ],
] as const)
  test(`what one service reads may not be ${what}`, (t) => {
    t.regex(problem(t, env), /^INTEGRATION_[A-Z_]+ is for one service alone/);
  });

test('everything that is wrong is told at once', (t) => {
  const { PLATFORM_TOKEN_URL: _, PLATFORM_CLIENT_ID: __, ...part } = real;
  const env = { ...part, STATUS_PORT: 'eighty', WEBHOOK_AUTH: 'gateway', WEBHOOK_TOKEN_FILE: '/tokens.json' };
  t.deepEqual(
    problem(t, env)
      .split('\n')
      .map((line) => line.split(' ')[0]),
    ['STATUS_PORT', 'PLATFORM_TOKEN_URL', 'PLATFORM_CLIENT_ID', 'WEBHOOK_TRUSTED_PROXIES', 'WEBHOOK_TOKEN_FILE'],
  );
});

const services = { ingesterEnv, forwarderEnv, pusherEnv, runnerEnv };
const tables: Readonly<Record<string, EnvTable>> = {
  ...services,
  aloneEnv,
  upEnv,
  actionsCliEnv,
  probeEnv,
  topicsEnv,
};

test('what is set for other services in the same environment stops none', (t) => {
  const names = Object.values(tables).flatMap((table) =>
    Object.entries(table).flatMap(([name, { secret }]) => (secret ? [name, `${name}_FILE`] : [name])),
  );
  for (const name of names) {
    t.notThrows(() => problemsOfNames(name), name);
    for (const [service, table] of Object.entries(services))
      t.deepEqual(misspeltVariables({ ...table, ...aloneEnv }, { [name]: 'x' }), [], `${name} in ${service}`);
  }
});

test('a wrong value is named with what it takes; a secret one is not shown', (t) => {
  t.is(problem(t, { STATUS_PORT: 'eighty' }), 'STATUS_PORT is "eighty", but takes a port from 0 to 65535');
  t.regex(problem(t, { WEBHOOK_AUTH: 'maybe' }), /^WEBHOOK_AUTH is "maybe", but takes one of token, gateway, none/);
  t.notRegex(problem(t, { ...real, PLATFORM_CLIENT_SECRET: `CANARY${'x'.repeat(3_000)}` }), /CANARY/);
});

test('bus and store are the machine’s own unless brokers and a server are named', (t) => {
  t.like(parseUpConfig({}), { KAFKA_BROKERS: undefined, KV_HOST: undefined });
  t.deepEqual(parseUpConfig({ KAFKA_BROKERS: 'one:9092,two:9093' }).KAFKA_BROKERS, [
    { host: 'one', port: 9092 },
    { host: 'two', port: 9093 },
  ]);
  t.regex(problem(t, { KAFKA_BROKERS: 'kafka://one:9092' }), /^KAFKA_BROKERS is .* but takes host:port/);
});

test('secrets, and they alone, have a form that reads a file', (t) => {
  const secrets = Object.entries(upEnv).flatMap(([name, variable]) =>
    'secret' in variable && variable.secret ? [name] : [],
  );
  t.deepEqual(secrets.sort(), [
    'AUTH_TOKEN',
    'KAFKA_SASL_PASSWORD',
    'KV_PASSWORD',
    'KV_SENTINEL_PASSWORD',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'PLATFORM_CLIENT_SECRET',
    'PLATFORM_CLIENT_SECRET_PREVIOUS',
  ]);
});

const served = (env: Record<string, string>): boolean => runsActions(parseUpConfig({ ...real, ...env }));

test('actions are served only when it is known who may call them', (t) => {
  t.false(served({}));
  t.false(served({ AUTH_TOKEN: ' , ' }));
  t.true(served({ AUTH_TOKEN: 'first-token,second-token' }));
  const urls = {
    PUSHER_SERVICE_URL: 'https://pusher.example',
    RUNNER_SERVICE_URL: 'https://runner.example',
    AUTH_OIDC_ISSUER: 'https://login.example',
    AUTH_OIDC_SERVICE_ACCOUNT: 'platform@example.org',
  };
  t.true(served({ AUTH_MODE: 'oidc', ...urls }));
  t.throws(() => served({ ...urls, AUTH_MODE: 'oidc', RUNNER_SERVICE_URL: '' }), {
    message: /^RUNNER_SERVICE_URL is /,
  });
  t.true(served({ AUTH_MODE: 'none' }));
});

test('what each service has for itself is not shared between them', (t) => {
  for (const name of ['PORT', 'INTEGRATION_TYPE_SLUG', 'INTEGRATION_SERVICE_URL', 'INTEGRATION_COMMANDS_TOPIC'])
    t.false(name in upEnv, name);
});
