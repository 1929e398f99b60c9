import test from 'ava';
import { startCluster, type Cluster, type Replica } from './harness/cluster.ts';
import { loadFor } from './harness/load.ts';
import { assertWhole } from './harness/outage.ts';
import { isTaken, type IngestLogLine } from './harness/platform.ts';
import { untilWorking } from './harness/metrics.ts';
import { until } from './harness/until.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const endMs = 15_000;
const slowMs = 2_000;
let cluster: Cluster | undefined;

test.after.always(() => cluster?.remove());

/** Ends a replica by SIGTERM; its exit code and how long it took. */
const end = async (replica: Replica): Promise<{ service: string; code: number | null; ms: number }> => {
  const began = performance.now();
  const code = await replica.stop();
  return { service: replica.service, code, ms: Math.round(performance.now() - began) };
};

test.serial(
  'more and fewer replicas, a rolling restart and an end in the middle of a batch lose nothing and repeat nothing',
  async (t) => {
    t.timeout(180_000);
    cluster = await startCluster([park]);
    const here = cluster;
    const { platform } = here;
    const ingesters = [...here.ingesters, await here.add('webhook-ingester'), await here.add('webhook-ingester')];
    const more = [await here.add('observation-forwarder'), await here.add('observation-forwarder')];
    const forwarders = [...here.forwarders, ...more];
    const ends: Awaited<ReturnType<typeof end>>[] = [];
    const urls = ingesters.map(({ url }) => `${url}/webhooks`);
    const load = loadFor(t, here, park, { urls, devices: 24, pauseMs: 150, repeatShare: 0.05 });
    await load.flowing();

    for (const replica of [...ingesters, ...forwarders]) if (!replica.running()) await replica.start();
    for (const replica of forwarders) await untilWorking(replica);

    for (const replica of [...forwarders, ...ingesters]) {
      ends.push(await end(replica));
      await replica.start();
    }
    await load.flowingAnew();

    for (const replica of [...ingesters.slice(1), ...forwarders.slice(1)]) ends.push(await end(replica));
    await load.flowingAnew();

    const last = forwarders[0] as Replica;
    const slow = await platform.fault({ fault: 'slow', ms: slowMs, endpoint: 'sensors' });
    await until('slow calls are open', async () => (await platform.struckBy(slow)) > 0);
    const endedAt = Date.now();
    ends.push(await end(last));
    const goneAt = Date.now();
    await platform.repair(slow);
    await last.start();

    const report = await load.finish(30_000);
    const isMidBatch = (line: IngestLogLine): boolean => isTaken(line) && line.at > endedAt && line.at < goneAt;
    const midBatch = (await platform.ingestLog()).filter(isMidBatch).length;
    t.log(`scaling: ${JSON.stringify({ ...report, midBatch, slowestEndMs: Math.max(...ends.map(({ ms }) => ms)) })}`);
    t.is(ends.length, 11);
    const late = ends.filter(({ code, ms }) => code !== 0 || ms > endMs);
    t.deepEqual(late, [], 'ends with 0 in time');
    t.true(midBatch > 0, 'calls were open at the end in the middle of a batch');
    t.true(report.acknowledged > 1_000);
    assertWhole(t, report);
    t.is(report.duplicates, 0, 'duplicates');
  },
);
