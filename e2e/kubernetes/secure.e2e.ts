import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { saslUser } from '../src/harness/kafka/index.ts';
import { assertWhole } from '../src/harness/outage.ts';
import { until } from '../src/harness/until.ts';
import { openNode } from './harness/node.ts';
import { platformSettings } from './harness/readme.ts';
import {
  chart,
  components,
  everyPod,
  ofThisHarness,
  overlay,
  prepareRelease,
  release,
  secretOf,
  testOf,
  webhookOf,
  type Release,
} from './harness/release.ts';
import { vendorFor } from './harness/vendor.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const storePassword = 'CANARY-redis-5e1d';
const secret = (name: string, stringData: Readonly<Record<string, string>>): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData,
});
let here: Release;
let webhookUrl: string;

test.before(async (t) => {
  const node = await openNode(t);
  here = await prepareRelease(node, 'secure', [park], {
    kafka: { secure: true },
    redis: { tls: true, password: storePassword },
  });
  const { kafka, redis } = here.outside;
  const { sasl = '', caFile = '' } = kafka.secure ?? {};
  await here.kubectl.apply(
    secret('kafka-login', { password: saslUser.password }),
    secret('redis-login', { password: storePassword, 'ca.crt': readFileSync(join(redis.dir, 'ca.crt'), 'utf8') }),
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kafka-ca' },
      data: { 'ca.crt': readFileSync(caFile, 'utf8') },
    },
  );
  const login = { username: saslUser.username, password: { name: 'kafka-login', key: 'password' } };
  const values = overlay(ofThisHarness(node), {
    kafka: {
      brokers: sasl,
      tls: { enabled: true, ca: { name: 'kafka-ca', key: 'ca.crt', kind: 'ConfigMap' } },
      sasl: { mechanism: 'scram-sha-512', ...login },
    },
    redis: {
      host: here.outside.host,
      port: redis.port,
      password: { name: 'redis-login', key: 'password' },
      tls: { enabled: true, ca: { name: 'redis-login', key: 'ca.crt' } },
    },
  });
  const settings = ['--wait', '--timeout', '180s', ...platformSettings(here.outside)];
  await here.helm.must(['install', release, chart, ...settings], values);
  webhookUrl = await webhookOf(here.kubectl);
});
test.after.always(() => here?.remove());

const restarts = async (): Promise<number> => {
  const pods = await everyPod(here.kubectl);
  return pods.reduce((sum, { status }) => sum + (status?.containerStatuses?.[0]?.restartCount ?? 1), 0);
};

test.serial('with TLS and a login at broker and store, helm test and the vendor’s events go through', async (t) => {
  t.timeout(300_000);
  const { code, stdout } = await testOf(here.helm);
  t.is(code, 0, stdout);
  t.regex(stdout, /platform +accepted the test event/);
  const { token, platform } = here;
  const vendor = vendorFor(t, { webhookUrl, token, platform }, { integrations: [park], devices: 8, pauseMs: 100 });
  const found = await vendor.finish(200);
  assertWhole(t, found.report);
  t.is(found.report.duplicates, 0);
  t.is(await restarts(), 0);
  for (const component of components) {
    const logs = await here.kubectl.must('logs', '--selector', `app.kubernetes.io/component=${component}`);
    for (const canary of [storePassword, saslUser.password]) t.false(logs.includes(canary), component);
  }
});

test.serial(
  'a token of the vendor that is changed in the Secret counts without a new pod, and the old one does not',
  async (t) => {
    t.timeout(240_000);
    const status = async (token: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = await fetch(`${webhookUrl}?integration_id=${park}`, { method: 'POST', headers, body: '{' });
      return answer.status;
    };
    t.not(await status(here.token), 401);
    t.is(await status('changed-token'), 401);
    const before = secretOf(here.outside, [park]) as { stringData: Record<string, string> };
    await here.kubectl.apply({
      ...before,
      stringData: { ...before.stringData, WEBHOOK_TOKENS_FILE: JSON.stringify({ [park]: ['changed-token'] }) },
    });
    await until('the new token counts', async () => (await status('changed-token')) !== 401, 180_000, 1_000);
    // Each pod learns of it by itself, and a request may go to any of them.
    const refusedEverywhere = async (): Promise<boolean> => {
      for (let n = 0; n < 20; n += 1) if ((await status(here.token)) !== 401) return false;
      return true;
    };
    await until('the old token does not', refusedEverywhere, 180_000, 1_000);
    t.is(await restarts(), 0);
  },
);
