import { openTopicAdmin } from '@ranger-relay/bus/kafka';
import { commandsTopic, topics } from '@ranger-relay/contracts';
import { systemClock } from '@ranger-relay/runtime';
import { testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { startCluster, type Cluster } from './harness/cluster.ts';
import { loadFor } from './harness/load.ts';
import { assertRecovered, assertWhole, bounds, everyReplica, throughOutage } from './harness/outage.ts';
import { startProbes } from './harness/probes.ts';
import { run } from './harness/product.ts';
import { until } from './harness/until.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
let here: Cluster;

test.before(async () => {
  here = await startCluster([park]);
  // A platform that takes its time keeps calls open, so that faults find some.
  await here.platform.fault({ fault: 'slow', ms: 20, endpoint: 'sensors' });
});
test.after.always(() => here?.remove());

const broker = () => here.kafka.brokers[0]!;

const survives = async (
  t: ExecutionContext,
  fault: { readonly begin: () => Promise<void>; readonly end: () => Promise<void>; readonly lastsMs?: number },
): Promise<void> => {
  const load = loadFor(t, here, park);
  const probes = startProbes(everyReplica(here));
  t.teardown(() => probes.stop());
  await assertRecovered(t, await throughOutage(t, { load, probes }, fault), load);
};

test.serial('a broker that is stopped and started again: 503 in time, and all goes on by itself', async (t) => {
  await survives(t, { begin: async () => void (await broker().stop()), end: () => broker().start() });
});

test.serial('a broker that hangs: 503 in time, and all goes on by itself', async (t) => {
  await survives(t, {
    begin: async () => broker().pause(),
    end: async () => broker().resume(),
    lastsMs: 12_000,
  });
});

test.serial('a broker that is killed and started again: 503 in time, and all goes on by itself', async (t) => {
  await survives(t, { begin: () => broker().kill(), end: () => broker().start() });
});

test.serial(
  'services that are started while the broker is away are alive, and work by themselves once it is there',
  async (t) => {
    await broker().stop();
    const pair = [await here.add('webhook-ingester'), await here.add('observation-forwarder')];
    t.teardown(() => Promise.all(pair.map((replica) => replica.kill())));
    const from = performance.now();
    for (const replica of pair) replica.launch();
    const probes = startProbes(pair);
    t.teardown(() => probes.stop());
    for (const { service } of pair) {
      const ms = await probes.readiness(service, false, from, 10_000);
      t.log(`${service} answers after ${Math.round(ms)} ms`);
    }
    await broker().start();
    const back = performance.now();
    for (const { service } of pair) await probes.readiness(service, true, back, bounds.recovery);
    const load = loadFor(t, here, park, { urls: [`${pair[0]!.url}/webhooks`] });
    await load.flowing();
    assertWhole(t, await load.finish());
    t.deepEqual(
      probes.all.filter(({ path, status }) => path === '/livez' && status !== 200 && status !== 0),
      [],
    );
  },
);

/** Topics of an installation beside the others, by a prefix of its own; all but one are there. */
const createAllBut = async (prefix: string, missing: string): Promise<void> => {
  const settings = { brokers: here.kafka.addresses.split(','), clientId: 'e2e', prefix, sessionTimeoutMs: 6_000 };
  const commands = ['device_connector', 'site_connector'].map((slug) => commandsTopic(slug));
  const wanted = [...Object.values(topics), ...commands].filter(({ name }) => name !== missing);
  const admin = openTopicAdmin(settings, wanted, { log: testContext().log, clock: systemClock });
  await admin.create();
  await admin.close();
};

const lines = (output: string): { readonly msg: string; readonly problem?: string }[] =>
  output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));

for (const { name } of [topics.sourceEvents, topics.deadLetters, topics.sourceEventsParked])
  test.serial(
    `services that find no topic ${name} start, name it, wait for it, and work once it is there`,
    async (t) => {
      const env = { KAFKA_PREFIX: `no-${name}.` };
      await createAllBut(env.KAFKA_PREFIX, name);
      const pair = [await here.add('webhook-ingester'), await here.add('observation-forwarder')];
      for (const replica of pair) replica.launch(env);
      t.teardown(() => Promise.all(pair.map((replica) => replica.kill())));
      const probes = startProbes(pair);
      t.teardown(() => probes.stop());
      for (const { service } of pair) await probes.readiness(service, false, 0, 15_000);
      for (const replica of pair) {
        const named = () =>
          lines(replica.process().output() + replica.process().errors()).find(({ problem }) => problem?.includes(name));
        await until(`${replica.service} names the topic`, () => named() !== undefined);
        t.regex(named()?.problem ?? '', /ranger-relay topics create/);
        await until(`${replica.service} says what it lacks`, () =>
          new RegExp(`${name}.*ranger-relay topics create`).test(probes.failing(replica.service).join()),
        );
      }
      const created = await run(['topics', 'create'], { ...here.env, ...env });
      t.is(created.stdout.trim(), `created no-${name}.${name}`);
      const from = performance.now();
      for (const { service } of pair) await probes.readiness(service, true, from, 5_000);
      const load = loadFor(t, here, park, { urls: [`${pair[0]!.url}/webhooks`] });
      await load.flowing();
      const report = await load.finish();
      assertWhole(t, report);
      t.is(report.duplicates, 0, 'duplicates');
    },
  );
