import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { startCluster, type Cluster, type Replica } from './harness/cluster.ts';
import { inFlightAt, unexplainedRepeats, type Loss } from './harness/in-flight.ts';
import { installFor } from './harness/installation.ts';
import { loadFor, type Load } from './harness/load.ts';
import { assertWhole } from './harness/outage.ts';
import type { PlatformProcess } from './harness/platform.ts';
import { untilWorking } from './harness/metrics.ts';
import { until } from './harness/until.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const offMs = 600_000;
const shiftClock = ['--import', fileURLToPath(new URL('./harness/shift-clock.ts', import.meta.url))];
const options = { devices: 16, pauseMs: 100, repeatShare: 0.05 } as const;

/** A platform that takes its time keeps calls open, so that kills find some. */
const slowDown = (platform: PlatformProcess): Promise<string> =>
  platform.fault({ fault: 'slow', ms: 50, endpoint: 'sensors' });

/** The platform fails on one of the next events until it is repaired. */
const failOnOne = (platform: PlatformProcess, { sent }: Load): Promise<string> => {
  const [{ source } = { source: '' }] = sent;
  const fields = { source, 'additional.altitude': sent.filter((event) => event.source === source).length + 5 };
  return platform.fault({ fault: 'fail_item', endpoint: 'observations', fields });
};

/** `kill -9`, and when it was. */
const killOf = async (kill: () => Promise<unknown>): Promise<Loss> => {
  const at = Date.now();
  await kill();
  return { at, goneAt: Date.now() };
};

const assertKept = async (
  t: ExecutionContext,
  platform: PlatformProcess,
  load: Load,
  kills: readonly Loss[],
): Promise<void> => {
  const report = await load.finish();
  const lines = await platform.ingestLog();
  const inFlight = inFlightAt(lines, kills);
  t.log(`${kills.length} kills, ${inFlight} in flight, ${report.duplicates} repeats`);
  assertWhole(t, report);
  t.true(inFlight > 0, 'a kill met work under way');
  t.deepEqual(unexplainedRepeats(lines, kills), [], 'repeats of what was not in flight');
  t.true(report.duplicates <= inFlight, `${report.duplicates} repeats, ${inFlight} in flight`);
};

test.serial(
  'one process that is killed under load loses nothing, keeps the order, and repeats what was in flight',
  async (t) => {
    const here = await installFor(t, [park]);
    const { platform, webhookUrl, token } = here;
    let up = await here.up();
    const load = loadFor(t, { webhookUrls: [webhookUrl], token, platform }, park, options);
    await load.flowing();
    await slowDown(platform);
    const failure = await failOnOne(platform, load);
    const kills: Loss[] = [];
    for (let n = 0; n < 2; n += 1) {
      const before = load.acknowledged();
      await until('more is acknowledged', () => load.acknowledged() > before + 150);
      kills.push(await killOf(() => up.end('SIGKILL')));
      up = await here.up();
      await load.flowingAnew();
    }
    await platform.repair(failure);
    await assertKept(t, platform, load, kills);
  },
);

/** How far off the clock of a replica is, by the first line of its log. */
const shiftOf = (replica: Replica, startedAt: number): number => {
  const { time } = JSON.parse(replica.process().output().split('\n')[0] ?? '{}') as { time: string };
  return Date.parse(time) - startedAt;
};

let cluster: Cluster | undefined;
test.after.always(() => cluster?.remove());

test.serial(
  'services that are killed under load, on clocks that are ten minutes off, lose nothing, keep the order, and repeat what was in flight',
  async (t) => {
    t.timeout(180_000);
    cluster = await startCluster([park]);
    const { platform, webhookUrls, add } = cluster;
    const pair = [await add('webhook-ingester', shiftClock), await add('observation-forwarder', shiftClock)] as const;
    const [ingester, forwarder] = pair;
    const load = loadFor(t, cluster, park, { ...options, urls: [...webhookUrls, `${ingester.url}/webhooks`] });
    await load.flowing();
    await slowDown(platform);
    const kills: Loss[] = [];
    for (const shift of [offMs, -offMs]) {
      const off = { CLOCK_SHIFT_MS: String(shift) };
      const startedAt = Date.now();
      await Promise.all(pair.map((replica) => replica.start(off)));
      for (const replica of pair) t.true(Math.abs(shiftOf(replica, startedAt) - shift) < 30_000);
      await untilWorking(forwarder, 50);
      await ingester.kill();
      kills.push(await killOf(() => forwarder.kill()));
      await Promise.all(pair.map((replica) => replica.start(off)));
      await load.flowingAnew();
      t.deepEqual(await Promise.all(pair.map((replica) => replica.stop())), [0, 0]);
    }
    await assertKept(t, platform, load, kills);
  },
);

/** Kills of the long scenario; the acceptance is KILLS=60. */
const killCount = Number(process.env['KILLS'] ?? '8');

test.serial(
  'forwarders and ingesters that are killed again and again, and a store that goes back to a snapshot, lose nothing and keep the order',
  async (t) => {
    t.timeout(120_000 + killCount * 15_000);
    cluster ??= await startCluster([park]);
    const { platform, redis, add } = cluster;
    const services = [
      'webhook-ingester',
      'webhook-ingester',
      'observation-forwarder',
      'observation-forwarder',
    ] as const;
    const replicas = await Promise.all(services.map((service) => add(service)));
    await Promise.all(replicas.map((replica) => replica.start()));
    const urls = replicas.slice(0, 2).map(({ url }) => `${url}/webhooks`);
    const load = loadFor(t, cluster, park, { devices: 48, pauseMs: 60, repeatShare: 0.05, urls });
    await load.flowing();
    const losses: Loss[] = [];
    let snapshotAt = 0;
    for (let n = 0; n < killCount; n += 1) {
      const victim = replicas[(n * 7 + 2) % replicas.length] as Replica;
      losses.push(await killOf(() => victim.kill()));
      if (n === Math.floor(killCount / 3)) {
        snapshotAt = Date.now();
        await redis.ask('SAVE');
      }
      if (n === Math.floor((2 * killCount) / 3))
        losses.push({ ...(await killOf(() => redis.restartEmpty())), since: snapshotAt });
      await victim.start();
      await load.flowingAnew();
    }
    const report = await load.finish(180_000);
    const sources = new Set(load.sent.map(({ source }) => source));
    const lines = (await platform.ingestLog()).filter(({ item }) => sources.has(item.source));
    t.log(`${killCount} kills, ${report.events} events, ${report.duplicates} repeats`);
    assertWhole(t, report);
    t.deepEqual(unexplainedRepeats(lines, losses), [], 'repeats of what was neither in flight nor forgotten');
  },
);
