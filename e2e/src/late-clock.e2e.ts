import { fileURLToPath } from 'node:url';
import test from 'ava';
import { startCluster, type Cluster, type Replica } from './harness/cluster.ts';
import { explainedBy, inFlightAt, unexplainedRepeats } from './harness/in-flight.ts';
import { loadFor } from './harness/load.ts';
import { isTaken } from './harness/platform.ts';
import { untilWorking } from './harness/share.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const offMs = 600_000;
const slowMs = 100;
const preload = ['--import', fileURLToPath(new URL('./harness/shift-clock.ts', import.meta.url))];
let cluster: Cluster | undefined;

test.after.always(() => cluster?.remove());

/** How far off the clock of a replica is, by the first line of its log. */
const shiftOf = (replica: Replica, startedAt: number): number => {
  const { time } = JSON.parse(replica.process().output().split('\n')[0] ?? '{}') as { time: string };
  return Date.parse(time) - startedAt;
};

test.serial(
  'a replica whose clock is ten minutes ahead, or behind, loses nothing and repeats nothing beyond what was in flight',
  async (t) => {
    t.timeout(120_000);
    cluster = await startCluster([park]);
    const { platform, webhookUrls, add } = cluster;
    const [ingester, forwarder] = [await add('webhook-ingester', preload), await add('observation-forwarder', preload)];
    // Every lane has a call open nearly all the time, so that the kills leave claims behind.
    await platform.fault({ fault: 'slow', ms: slowMs, endpoint: 'sensors' });
    const urls = [...webhookUrls, `${ingester.url}/webhooks`];
    const load = loadFor(t, cluster, park, { urls, devices: 16, pauseMs: 100, repeatShare: 0.05 });
    const kills: { at: number; goneAt: number }[] = [];
    const shifts: number[] = [];

    for (const shift of [offMs, -offMs]) {
      const off = { CLOCK_SHIFT_MS: String(shift) };
      const startedAt = Date.now();
      await Promise.all([ingester.start(off), forwarder.start(off)]);
      shifts.push(shiftOf(forwarder, startedAt), shiftOf(ingester, startedAt));
      await untilWorking(forwarder, 50);
      const at = Date.now();
      await forwarder.kill();
      kills.push({ at, goneAt: Date.now() });
      await forwarder.start(off);
      await load.flowingAnew();
      t.deepEqual(await Promise.all([ingester.stop(), forwarder.stop()]), [0, 0]);
    }

    const report = await load.finish(40_000);
    const lines = (await platform.door()).filter(isTaken);
    const inFlight = inFlightAt(lines, kills);
    const explains = explainedBy(lines);
    const broken = kills.map((kill) => lines.filter((line) => line.answered === false && explains(line, kill)).length);
    t.log(`clocks: ${JSON.stringify({ ...report, kills: kills.length, inFlightAtKills: inFlight, broken, shifts })}`);
    t.true(inFlight > 0, 'a kill met work under way');
    t.true(shifts.slice(0, 2).every((shift) => Math.abs(shift - offMs) < 30_000));
    t.true(shifts.slice(2).every((shift) => Math.abs(shift + offMs) < 30_000));
    t.true(report.acknowledged > 500);
    t.is(report.lost, 0, 'lost');
    t.is(report.orderViolations, 0, 'order violations');
    t.is(report.messageFirst, 0, 'messages before the first observation');
    t.deepEqual(unexplainedRepeats(lines, kills), [], 'repeats of what was not in flight');
    t.true(report.duplicates <= inFlight, `${report.duplicates} duplicates, ${inFlight} in flight`);
  },
);
