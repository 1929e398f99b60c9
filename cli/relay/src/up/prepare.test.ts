import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fc } from '@fast-check/ava';
import { isRelayError } from '@ranger-relay/errors';
import { systemClock, systemRandom } from '@ranger-relay/runtime';
import test, { type ExecutionContext } from 'ava';
import { openDataDir } from '../data-dir/index.ts';
import { checkUp, prepareUp } from './prepare.ts';
import { runUp } from './run.ts';
import { allowed, complete, type Complete, hostOf, listening, park, quietPort, shellOf } from './test/start.ts';

/** Why it was refused; undefined when it was not. */
const refusalBy = async (work: () => Promise<unknown>): Promise<string | undefined> => {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (isRelayError(error)) return error.message;
    throw error;
  }
};

const check = (env: NodeJS.ProcessEnv) => refusalBy(() => checkUp(shellOf(env), allowed));
const start = (env: NodeJS.ProcessEnv) =>
  refusalBy(async () => {
    const up = await runUp(shellOf(env), allowed, hostOf());
    await up.stop();
  });

/** One thing that is wrong, or right, about a complete configuration. */
interface Variation {
  readonly what: string;
  /** What its sentence begins with; null where nothing is wrong. */
  readonly variable: string | null;
  apply(here: Complete, t: ExecutionContext): Promise<Readonly<Record<string, string>>>;
}

const fixed = (variable: string | null, more: Readonly<Record<string, string>>): Variation => ({
  what: JSON.stringify(more),
  variable,
  apply: async () => more,
});

const tokens = (text: string, variable: string | null = 'WEBHOOK_TOKENS_FILE'): Variation => ({
  what: `a tokens file of ${text}`,
  variable,
  apply: async ({ file }) => ({ WEBHOOK_TOKENS_FILE: await file('other.json', text) }),
});

const variations: readonly Variation[] = [
  fixed('WEBHOOK_TOKENS_FILE', { WEBHOOK_TOKENS_FILE: '/no/such/file.json' }),
  tokens('not json'),
  tokens('[]'),
  tokens(`{"${park}":["sha256:9f86d081…"]}`),
  tokens(`{"${park}":["x"]}`),
  tokens('{"park":["first-token"]}'),
  tokens(`{"${park}":["sha256:${'ab'.repeat(32)}"]}`, null),
  fixed('ACTION_SCHEDULES', { ACTION_SCHEDULES: 'pull_events:99 * * * *' }),
  fixed(null, { ACTION_SCHEDULES: 'pull_events:9 * * * *' }),
  fixed('AUTH_TOKEN', { AUTH_TOKEN: 'x' }),
  fixed(null, { AUTH_TOKEN: '' }),
  fixed('AUTH_OIDC_SERVICE_ACCOUNT', {
    AUTH_MODE: 'oidc',
    AUTH_OIDC_ISSUER: 'https://login.example',
    PUSHER_SERVICE_URL: 'https://p.example',
    RUNNER_SERVICE_URL: 'https://r.example',
  }),
  fixed('KAFKA_BROKERS', { KAFKA_BROKERS: '[::1]:9092' }),
  fixed('KV_HOST', { KV_HOST: 'kv', KV_SENTINELS: 'a:1' }),
  fixed('KV_TLS_CA_FILE', { KV_HOST: 'kv', KV_TLS: 'true', KV_TLS_CA_FILE: '/no/such' }),
  fixed('PLATFORM_API_BASE_URL', { PLATFORM_API_BASE_URL: 'http://8.8.8.8' }),
  fixed('PLATFORM_TOKEN_URL', { PLATFORM_TOKEN_URL: 'https://10.0.0.1/token' }),
  fixed('PLATFORM_TOKEN_URL', { PLATFORM_TOKEN_URL: '' }),
  fixed('PLATFORM_CLIENT_SECRT', { PLATFORM_CLIENT_SECRT: 'relay-secret' }),
  fixed('MAX_ACTION_EXECUTION_TIME', { PUSH_TIMEOUT_S: '300', MAX_ACTION_EXECUTION_TIME: '329' }),
  fixed('HOST', { HOST: '203.0.113.1' }),
  fixed(null, { HOST: '::' }),
  fixed('DATA_DIR', { DATA_DIR: '/proc/nope' }),
  {
    what: 'a port that another process has',
    variable: 'RUNNER_PORT',
    apply: async (_, t) => ({ RUNNER_PORT: String(await listening(t)) }),
  },
  {
    what: 'two equal ports',
    variable: 'INGESTER_PORT',
    apply: async () => {
      const port = await quietPort();
      return { STATUS_PORT: port, INGESTER_PORT: port };
    },
  },
  {
    what: 'a file in place of the directory',
    variable: 'DATA_DIR',
    apply: async ({ file }) => ({ DATA_DIR: await file('a-file', '') }),
  },
  {
    what: 'a directory of the simulators',
    variable: 'DATA_DIR',
    apply: async ({ folder }) => {
      const dir = await openDataDir(join(folder, 'simulated'), { clock: systemClock, random: systemRandom });
      await dir.record({ platform: 'simulated' });
      await dir.release();
      return { DATA_DIR: dir.path };
    },
  },
  {
    what: 'a directory that has lost its bus',
    variable: 'DATA_DIR',
    apply: async ({ folder }) => {
      const dir = await openDataDir(join(folder, 'lost'), { clock: systemClock, random: systemRandom });
      await dir.record({ platform: 'real', bus_since: new Date(0).toISOString() });
      await dir.release();
      return { DATA_DIR: dir.path };
    },
  },
];

const variablesIn = (refusal: string | undefined): readonly string[] =>
  (refusal ?? '').split('\n').flatMap((line) => /^[A-Z_]+(?= )/.exec(line)?.[0] ?? []);

for (const { what, variable, apply } of variations)
  test(`a check and a start judge alike: ${what}`, async (t) => {
    const here = await complete(t);
    const env = { ...here.env, ...(await apply(here, t)) };
    const refusal = await check(env);
    if (variable === null) t.is(refusal, undefined);
    else t.true(variablesIn(refusal).includes(variable) || /^The file .*bus\.sqlite/.test(refusal ?? ''), refusal);
    t.is(await start(env), refusal);
  });

test('a check passes where a start does, whatever is wrong together, and both tell all of it at once', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(variations.length - 1), { maxLength: 4 }), async (numbers) => {
      const here = await complete(t);
      const chosen = numbers.flatMap((number) => variations[number] ?? []);
      const env: NodeJS.ProcessEnv = Object.assign(
        {},
        here.env,
        ...(await Promise.all(chosen.map((each) => each.apply(here, t)))),
      );
      const refusal = await check(env);
      t.is(await start(env), refusal);
      t.deepEqual(
        (await readdir(here.folder)).includes('data'),
        refusal === undefined && env['DATA_DIR'] === here.env['DATA_DIR'],
      );
    }),
    { numRuns: 25 },
  );
  t.pass();
});

test('everything that is wrong is told at once: variables, files, directory and every port', async (t) => {
  const here = await complete(t);
  const env = {
    ...here.env,
    INGESTER_PORT: String(await listening(t)),
    RUNNER_PORT: String(await listening(t)),
    FORWARDER_PORT: 'eighty',
    DATA_DIR: '/proc/nope',
    WEBHOOK_TOKENS_FILE: '/no/such/file.json',
    PLATFORM_API_BASE_URL: 'http://8.8.8.8',
  };
  const told = [
    'FORWARDER_PORT',
    'PLATFORM_API_BASE_URL',
    'WEBHOOK_TOKENS_FILE',
    'INGESTER_PORT',
    'RUNNER_PORT',
    'DATA_DIR',
  ];
  t.deepEqual(variablesIn(await check(env)), told);
  t.deepEqual(variablesIn(await start(env)), told);
});

test('a check leaves nothing behind', async (t) => {
  const { env, folder } = await complete(t);
  const before = await readdir(folder);
  const { isNew, pid } = await checkUp(shellOf(env), allowed);
  t.deepEqual([isNew, pid], [true, undefined]);
  t.deepEqual(await readdir(folder), before);
});

test('a start that fails binds no directory: with another kind of platform it starts afterwards', async (t) => {
  const { env, folder } = await complete(t);
  const real = { ...env, INGESTER_PORT: String(await listening(t)) };
  const simulated = Object.fromEntries(Object.entries(real).filter(([name]) => !name.startsWith('PLATFORM_')));
  await mkdir(join(folder, 'data'));
  t.deepEqual(variablesIn(await start(simulated)), ['INGESTER_PORT']);
  t.is(await start(env), undefined);
});

test('beside the running up of the directory, its lock and its ports count as free', async (t) => {
  const here = await complete(t);
  const env = { ...here.env, STATUS_PORT: await quietPort(), INGESTER_PORT: await quietPort() };
  const up = await runUp(shellOf(env), allowed, hostOf());
  t.teardown(() => up.stop());
  t.is((await checkUp(shellOf(env), allowed)).pid, process.pid);
  const taken = { ...env, RUNNER_PORT: String(await listening(t)) };
  t.deepEqual(variablesIn(await check(taken)), ['RUNNER_PORT']);
  t.regex((await start(env)) ?? '', /^DATA_DIR .* is in use by the process \d+;[^\n]*$/);
});

test('the ports of a prepared start are held, and answer that it starts', async (t) => {
  const here = await complete(t);
  const env = { ...here.env, INGESTER_PORT: await quietPort() };
  const { dir, ports: held } = await prepareUp(shellOf(env), allowed);
  const { status } = await fetch(`http://127.0.0.1:${env['INGESTER_PORT']}/readyz`);
  t.is(status, 503);
  await held.release();
  await dir.discard();
});
