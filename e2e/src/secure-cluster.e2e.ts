import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startCluster, type Cluster, type Replica } from './harness/cluster.ts';
import { saslUser } from './harness/kafka/index.ts';
import { loadFor } from './harness/load.ts';
import { assertWhole } from './harness/outage.ts';
import { run, type Finished } from './harness/product.ts';
import { probesFor } from './harness/probes.ts';
import { untilPrinted } from './harness/ready.ts';
import { startRedis, type RedisServer } from './harness/redis.ts';
import { until } from './harness/until.ts';

type Variables = Readonly<Record<string, string>>;

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const wrong = 'CANARY-kafka-7f3a';
const kvPassword = 'CANARY-redis-91cc';
let here: Cluster;
let redis: RedisServer;
let tls: Variables;
let login: Variables;
const printed: string[] = [];

test.before(async () => {
  here = await startCluster([park], { ingesters: 0, forwarders: 0, kafka: { secure: true } });
  redis = await startRedis({ tls: true, password: kvPassword });
  const { sasl = '', caFile = '' } = here.kafka.secure ?? {};
  tls = { ...redis.env, LOG_LEVEL: 'debug', KAFKA_BROKERS: sasl, KAFKA_TLS: 'true', KAFKA_TLS_CA_FILE: caFile };
  login = {
    KAFKA_SASL_MECHANISM: 'scram-sha-512',
    KAFKA_SASL_USERNAME: saslUser.username,
    KAFKA_SASL_PASSWORD: saslUser.password,
  };
});
test.after.always(async () => {
  await redis?.end();
  await here?.remove();
});

/** Output of a process, kept to search it for secrets. */
const outputOf = (replica: Replica): string => {
  const text = replica.process().output() + replica.process().errors();
  printed.push(text);
  return text;
};

const pairOf = async (t: ExecutionContext, env: Variables): Promise<readonly Replica[]> => {
  const pair = [await here.add('webhook-ingester'), await here.add('observation-forwarder')];
  t.teardown(() => Promise.all(pair.map((replica) => replica.kill())));
  for (const replica of pair) replica.launch(env);
  return pair;
};

const relay = async (env: Variables, ...args: readonly string[]): Promise<Finished> => {
  const finished = await run(args, { ...here.env, ...env });
  printed.push(finished.stdout + finished.stderr);
  return finished;
};

test.serial(
  'TLS and SCRAM-SHA-512, the password in a file, and Redis with TLS and password: the whole chain works',
  async (t) => {
    const { KAFKA_SASL_PASSWORD: _, ...rest } = login;
    const file = join(here.dir, 'kafka-password');
    writeFileSync(file, `${saslUser.password}\n`);
    const env = { ...tls, ...rest, KAFKA_SASL_PASSWORD_FILE: file };
    const pair = await pairOf(t, env);
    for (const replica of pair) await until(`${replica.service} is ready`, replica.ready, 20_000);
    const load = loadFor(t, here, park, { urls: [`${pair[0]!.url}/webhooks`], repeatShare: 0.2 });
    await load.flowing();
    const report = await load.finish();
    assertWhole(t, report);
    t.is(report.duplicates, 0);
    t.is((await relay(env, 'topics', 'check')).code, 0);
    t.regex((await relay(env, 'status')).stdout, new RegExp(park));
    for (const replica of pair) {
      t.is(await replica.stop(), 0);
      t.notRegex(outputOf(replica), /"level":"(error|fatal)"/);
    }
  },
);

/** The services wait, alive and not ready, and their log and the command say what is wrong. */
const assertRefused = async (t: ExecutionContext, env: Variables, says: RegExp): Promise<void> => {
  const pair = await pairOf(t, env);
  const probes = probesFor(t, pair);
  for (const replica of pair) {
    const unusable = /^.*the bus is unusable.*\n/m;
    const [line] = await untilPrinted(`${replica.service} says what is wrong`, replica.process(), unusable);
    t.regex((JSON.parse(line) as { problem?: string }).problem ?? '', says);
  }
  const checked = await relay(env, 'topics', 'check');
  t.is(checked.code, 1);
  t.regex(checked.stderr, says);
  t.true(checked.stderr.trim().split('\n').length <= 2, checked.stderr);
  t.notRegex(checked.stderr, /^\s*at /m);
  for (const replica of pair) {
    t.true(replica.running());
    await replica.stop();
    outputOf(replica);
  }
  const ready = probes.all.filter(({ path, status }) => path === '/readyz' && status === 200);
  t.deepEqual(ready, []);
};

for (const mechanism of ['scram-sha-512', 'plain'])
  test.serial(`a wrong password (${mechanism}) is told by log and command, and nothing is ready`, async (t) => {
    const env = { ...tls, ...login, KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_PASSWORD: wrong };
    await assertRefused(t, env, /authentication failed.*KAFKA_SASL_PASSWORD/i);
  });

test.serial('a broker whose certificate nobody vouches for is told by log and command', async (t) => {
  const { KAFKA_TLS_CA_FILE: _, ...rest } = tls;
  await assertRefused(t, { ...rest, ...login }, /certificate.*KAFKA_TLS_CA_FILE/);
});

test.serial('a broker that wants a login and gets none is told by log and command', async (t) => {
  await assertRefused(t, tls, /KAFKA_SASL_MECHANISM/);
});

test.serial('a wrong password for Redis is told by the log, and holds nothing up', async (t) => {
  const pair = await pairOf(t, { ...tls, ...login, KV_PASSWORD: wrong });
  for (const replica of pair) await until(`${replica.service} is ready`, replica.ready, 20_000);
  const refusal = /refuses the login; check KV_USERNAME and KV_PASSWORD/;
  for (const replica of pair) await untilPrinted('the log names the login', replica.process(), refusal);
  const load = loadFor(t, here, park, { urls: [`${pair[0]!.url}/webhooks`] });
  await load.flowing();
  assertWhole(t, await load.finish());
  for (const replica of pair) outputOf(replica);
});

test.serial('no secret is in anything that any process printed', (t) => {
  t.true(printed.join('').length > 5_000);
  const key = readFileSync(join(here.dir, 'tokens.json'), 'utf8');
  const secrets = [wrong, kvPassword, saslUser.password, here.token, here.env['PLATFORM_CLIENT_SECRET'] ?? key];
  for (const secret of secrets) t.false(printed.join('\n').includes(secret), secret);
});
