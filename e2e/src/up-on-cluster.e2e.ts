import test from 'ava';
import { startCluster, type Cluster } from './harness/cluster.ts';
import { install, type Installation } from './harness/installation.ts';
import { run, type Started } from './harness/product.ts';
import { envelope, event, post, send, untilStored } from './harness/traffic.ts';
import { until } from './harness/until.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
let cluster: Cluster;
let here: Installation;
let env: Readonly<Record<string, string>>;
let up: Started;

test.before(async () => {
  cluster = await startCluster([park], { ingesters: 0, forwarders: 0 });
  here = await install([park]);
  const { KAFKA_BROKERS = '', KAFKA_SESSION_TIMEOUT_MS = '' } = cluster.env;
  env = { KAFKA_BROKERS, KAFKA_SESSION_TIMEOUT_MS, ...cluster.redis.env };
  up = await here.up(env);
});
test.after.always(async () => {
  await here?.remove();
  await cluster?.remove();
});

const relay = (...args: readonly string[]) => run(args, { ...here.env, ...env });

test.serial('events flow through up on Kafka and Redis, and nothing of them lies in its directory', async (t) => {
  await send(here, park, event(1), event(2, { messageCode: 3, freeText: 'on the cluster' }));
  await untilStored(here, park, 3);
  const beside = await run(['dlq', 'list'], here.env);
  t.is(beside.code, 1, 'the directory holds no bus');
  t.true(Number((await cluster.redis.ask('DBSIZE')).trim()) > 0);
});

test.serial('status, activity and dead letters are read from the cluster', async (t) => {
  t.is((await post(here, park, 'no json at all')).status, 200);
  const status = await relay('status');
  t.is(status.code, 0, status.stderr);
  t.regex(status.stdout, new RegExp(park));
  await until('the activity log tells of the webhook', async () => {
    const { stdout } = await relay('activity', '--output', 'json');
    return stdout.includes('IntegrationWebhookComplete') && stdout.includes(park);
  });
  const listed = await relay('dlq', 'list', '--output', 'json');
  const letters = JSON.parse(listed.stdout) as { kind: string; reason: string; integration_id: string }[];
  t.like(letters, [{ kind: 'webhook_body', reason: 'invalid_json', integration_id: park }]);
  t.is(letters.length, 1);
});

test.serial('the list of SOS is read from the cluster', async (t) => {
  t.like(await relay('sos'), { code: 0, stdout: 'No SOS in the last 30 days.\n' });
  await send(here, park, event(3, { messageCode: 4 }));
  await until('the SOS is told as accepted', async () => {
    const { code, stdout } = await relay('sos');
    return code === 1 && /SOS declared .* accepted after/.test(stdout);
  });
  t.pass();
});

test.serial('up on the cluster ends in good order', async (t) => {
  t.is(await up.end('SIGTERM'), 0, up.errors());
});

test.serial('a bad body is not lost by up: it waits as a dead letter over a restart', async (t) => {
  up = await here.up(env);
  t.is((await post(here, park, envelope(event(9_999)))).status, 200);
  const { stdout } = await relay('dlq', 'list', '--output', 'json');
  t.is((JSON.parse(stdout) as unknown[]).length, 1);
});
