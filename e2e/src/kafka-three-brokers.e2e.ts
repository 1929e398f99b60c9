import test, { type ExecutionContext } from 'ava';
import { startCluster, type Cluster } from './harness/cluster.ts';
import { loadFor, type Load } from './harness/load.ts';
import {
  assertAnswers,
  assertRecovered,
  assertWhole,
  bounds,
  everyReplica,
  maxSilenceMs,
  throughOutage,
} from './harness/outage.ts';
import { startProbes, type Probes } from './harness/probes.ts';
import { until } from './harness/until.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
let here: Cluster;

test.before(async () => {
  here = await startCluster([park], { kafka: { brokers: 3 } });
  await here.platform.fault({ fault: 'slow', ms: 20, endpoint: 'sensors' });
});
test.after.always(() => here?.remove());

const brokers = (...numbers: readonly number[]) => numbers.map((n) => here.kafka.brokers[n]!);

const underLoad = async (
  t: ExecutionContext,
  work: (watched: { readonly load: Load; readonly probes: Probes }) => Promise<void>,
): Promise<void> => {
  const load = loadFor(t, here, park);
  const probes = startProbes(everyReplica(here));
  t.teardown(() => probes.stop());
  await load.flowing();
  await work({ load, probes });
  const report = await load.finish();
  assertAnswers(t, load);
  assertWhole(t, report);
  t.is(report.duplicates, 0, 'duplicates');
};

/** One of three brokers is down: after a short time everything continues without it, and again with it. */
const withoutOne = (t: ExecutionContext, begin: () => Promise<void>, end: () => Promise<void>): Promise<void> =>
  underLoad(t, async ({ load, probes }) => {
    const from = performance.now();
    await begin();
    await load.flowingAnew(15_000);
    const goesOnMs = performance.now() - from;
    await until('the fault has lasted', () => performance.now() - from > 8_000, 15_000);
    const readyMs = await probes.readiness('webhook-ingester', true, performance.now(), bounds.recovery);
    await end();
    const back = performance.now();
    await probes.readiness('webhook-ingester', true, back, bounds.recovery);
    await probes.readiness('observation-forwarder', true, back, bounds.recovery);
    await load.flowingAnew(bounds.recovery);
    const silenceMs = maxSilenceMs(load, from, performance.now());
    t.log(
      `goes on after ${Math.round(goesOnMs)} ms, ready after ${Math.round(readyMs)} ms, no 200 for ${Math.round(silenceMs)} ms`,
    );
    const slowest = Math.max(...load.answers.map(({ ms }) => ms));
    t.log(
      `slowest answer ${Math.round(slowest)} ms, 503: ${load.answers.filter(({ status }) => status === 503).length}`,
    );
    t.true(silenceMs <= 8_000, `no acknowledgement for ${silenceMs} ms`);
    t.deepEqual(
      probes.all.filter(({ path, status }) => path === '/livez' && status !== 200),
      [],
    );
  });

test.serial('one of three brokers is killed and comes back: requests go on being answered, nothing is lost', (t) =>
  withoutOne(
    t,
    async () => void (await Promise.all(brokers(0).map((broker) => broker.kill()))),
    async () => void (await Promise.all(brokers(0).map((broker) => broker.start()))),
  ),
);

test.serial('one of three brokers hangs: requests go on being answered, nothing is lost', (t) =>
  withoutOne(
    t,
    async () => brokers(1).forEach((broker) => broker.pause()),
    async () => brokers(1).forEach((broker) => broker.resume()),
  ),
);

test.serial('services that start while one of three brokers hangs come up and go down without it', async (t) => {
  const added = [await here.add('webhook-ingester'), await here.add('observation-forwarder')];
  brokers(2).forEach((broker) => broker.pause());
  t.teardown(() => brokers(2).forEach((broker) => broker.resume()));
  const from = performance.now();
  await Promise.all(added.map((replica) => replica.start()));
  t.log(`ready after ${Math.round(performance.now() - from)} ms`);
  t.deepEqual(await Promise.all(added.map((replica) => replica.stop())), [0, 0]);
});

test.serial('two of three brokers are killed: 503 in time, and with them back all goes on by itself', async (t) => {
  const load = loadFor(t, here, park);
  const probes = startProbes(everyReplica(here));
  t.teardown(() => probes.stop());
  const figures = await throughOutage(
    t,
    { load, probes },
    {
      begin: async () => void (await Promise.all(brokers(0, 2).map((broker) => broker.kill()))),
      end: async () => void (await Promise.all(brokers(0, 2).map((broker) => broker.start()))),
    },
  );
  await assertRecovered(t, figures, load);
});
