import test, { type ExecutionContext } from 'ava';
import { startCluster, type Cluster } from './harness/cluster.ts';
import { loadFor, type Load } from './harness/load.ts';
import { metric } from './harness/metrics.ts';
import { assertHealth, assertWhole, everyReplica, isJudged, maxSilenceMs } from './harness/outage.ts';
import type { IngestLogLine } from './harness/platform.ts';
import { healthBetween, heldUp, startProbes, type Probes } from './harness/probes.ts';
import { envelope, event, post, stored } from './harness/traffic.ts';
import { until } from './harness/until.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const postMs = 1_000;
const faultMs = 8_000;
let here: Cluster;
let posts = 0;

test.before(async () => {
  here = await startCluster([park]);
  await here.platform.fault({ fault: 'slow', ms: 20, endpoint: 'sensors' });
});
test.after.always(() => here?.remove());

const undeduplicated = (): Promise<number> => metric(here.forwarders[0]!.url, 'relay_events_undeduplicated_total');
const dropped = (): Promise<number> => metric(here.forwarders[0]!.url, 'relay_events_duplicate_total');

/** An event of a new device, identified by that device. */
const fresh = (): { readonly body: string; readonly arrived: () => Promise<IngestLogLine[]> } => {
  posts += 1;
  const imei = `30043403${String(posts).padStart(7, '0')}`;
  return {
    body: envelope(event(posts, { imei, messageCode: 3, freeText: `text ${posts}` })),
    arrived: async () => (await here.platform.door()).filter(({ item }) => item.source === imei),
  };
};

/** Sends a fresh event and waits for it; true when the store was asked about it. */
const isDeduplicating = async (): Promise<boolean> => {
  const { body, arrived } = fresh();
  const before = await undeduplicated();
  await post(here, park, body);
  await until('an event arrives', async () => (await arrived()).length === 2);
  return (await undeduplicated()) === before;
};

/** The store is used again; what is sent twice from then on arrives once, also at a worker that remembers nothing. */
const assertDeduplicated = async (t: ExecutionContext): Promise<void> => {
  await until('deduplication is back', isDeduplicating, 5_000);
  const { body, arrived } = fresh();
  t.is((await post(here, park, body)).status, 200);
  await until('the first one arrives', async () => (await arrived()).length === 2);
  await here.forwarders[0]!.stop();
  await here.forwarders[0]!.start();
  t.is((await post(here, park, body)).status, 200);
  await until('the second one is dropped', async () => (await dropped()) > 0);
  const came = (await arrived()).map(({ kind, outcome }) => `${kind} ${outcome}`);
  t.deepEqual(came, ['observation stored', 'message stored']);
};

/** Every POST was taken, in a second beside what held up the machine. */
const assertAtOnce = (t: ExecutionContext, { answers }: Load, probes: Probes): void => {
  const late = answers.filter(({ status, at, ms }) => status !== 200 || ms - heldUp(probes, at, at + ms) > postMs);
  t.deepEqual(late, []);
};

/** Stops the store under load, checks the services meanwhile, and restarts it. */
const survives = async (
  t: ExecutionContext,
  fault: { readonly begin: () => Promise<void>; readonly end: () => Promise<void> },
): Promise<void> => {
  const load = loadFor(t, here, park, { repeatShare: 0.1 });
  const probes = startProbes(everyReplica(here));
  t.teardown(() => probes.stop());
  await load.flowing();
  const counted = await undeduplicated();
  const from = performance.now();
  await fault.begin();
  await load.flowingAnew(5_000);
  await until('the fault has lasted', () => performance.now() - from >= faultMs, faultMs + 5_000);
  await until('what goes without deduplication is counted', async () => (await undeduplicated()) > counted, 5_000);
  t.log(`${(await undeduplicated()) - counted} events without deduplication`);
  const to = performance.now();
  await fault.end();
  await load.flowingAnew(5_000);
  const report = await load.finish();
  assertHealth(t, probes, from, to);
  t.deepEqual(
    probes.all.filter(({ path, status }) => path === '/readyz' && status !== 200),
    [],
  );
  t.log(
    `slowest POST ${Math.round(Math.max(...load.answers.map(({ ms }) => ms)))} ms, no 200 for ${Math.round(maxSilenceMs(load, from, to))} ms`,
  );
  assertAtOnce(t, load, probes);
  assertWhole(t, report);
  await assertDeduplicated(t);
};

test.serial('a store that is stopped holds nothing up, and with it back nothing is sent twice', async (t) => {
  await survives(t, { begin: () => here.redis.stop(), end: () => here.redis.start() });
});

test.serial('a store that hangs holds nothing up, and with it back nothing is sent twice', async (t) => {
  await survives(t, { begin: async () => here.redis.pause(), end: async () => here.redis.resume() });
});

test.serial('a store that takes no writes holds nothing up, and with it back nothing is sent twice', async (t) => {
  await survives(t, { begin: () => here.redis.readOnly(true), end: () => here.redis.readOnly(false) });
});

test.serial('a store that loses everything holds nothing up, and nothing is sent twice from then on', async (t) => {
  const load = loadFor(t, here, park, { repeatShare: 0.1 });
  const probes = startProbes(everyReplica(here));
  t.teardown(() => probes.stop());
  await load.flowing();
  const from = performance.now();
  // A store that comes back at once leaves health little time to be asked in.
  for (let times = 0; times < 3 || !isJudged(healthBetween(probes, from, performance.now())); times += 1) {
    await here.redis.restartEmpty();
    await load.flowingAnew(5_000);
  }
  const report = await load.finish();
  assertHealth(t, probes, from, performance.now());
  assertAtOnce(t, load, probes);
  assertWhole(t, report);
  await assertDeduplicated(t);
});

test.serial('services that are started while the store is away become ready and work', async (t) => {
  await here.redis.stop();
  t.teardown(() => here.redis.start());
  const replicas = everyReplica(here);
  await Promise.all(replicas.map((replica) => replica.stop()));
  const from = performance.now();
  await Promise.all(replicas.map((replica) => replica.start()));
  t.log(`ready after ${Math.round(performance.now() - from)} ms`);
  const load = loadFor(t, here, park);
  await load.flowing();
  const report = await load.finish();
  t.deepEqual(
    load.answers.filter(({ status }) => status !== 200),
    [],
  );
  assertWhole(t, report);
  t.true((await undeduplicated()) > 0);
  t.true((await stored(here, park)).length > 0);
});
