import test from 'ava';
import { readBusHistory } from './harness/bus-history.ts';
import { type Cluster, startCluster, type Replica } from './harness/cluster.ts';
import { inFlightAt, unexplainedRepeats } from './harness/in-flight.ts';
import { type Load, loadFor } from './harness/load.ts';
import { isTaken } from './harness/platform.ts';
import { until } from './harness/until.ts';

/** An integration in `ranger-relay status`. */
export interface IntegrationState {
  readonly parked: number;
  readonly oldest_unsent_seconds: number;
  readonly dead_letters: number;
}

/** Asks `ranger-relay status` on the cluster. */
export const stateOf = async ({ relay }: Cluster, integration: string): Promise<IntegrationState> => {
  const { code, stdout, stderr } = await relay('status', '--output', 'json');
  if (code !== 0) throw new Error(`status ended with ${String(code)}: ${stderr}`);
  const { integrations } = JSON.parse(stdout) as { integrations: (IntegrationState & { id: string })[] };
  const found = integrations.find(({ id }) => id === integration);
  if (!found) throw new Error(`status does not name ${integration}`);
  return found;
};

/** Whether the flag is up that says that events of an integration are parked. */
export const isFlagged = async ({ redis }: Cluster, integration: string): Promise<boolean> =>
  (await redis.ask('EXISTS', `parked.${integration}`)) === '1';

/** Longest time from the acknowledged POST of an event of this load to its first arrival at the platform, ms. */
export const slowestArrival = async ({ platform }: Cluster, { sent }: Load): Promise<number> => {
  const arrived = new Map<string, number>();
  for (const line of (await platform.door()).filter(isTaken)) {
    const id = `${line.kind} ${line.item.source} ${String(line.item.additional['altitude'])}`;
    if (!arrived.has(id)) arrived.set(id, line.at);
  }
  return Math.max(
    ...sent.flatMap(({ source, n, text, acknowledgedAt }) =>
      (text ? ['observation', 'message'] : ['observation']).map(
        (kind) => (arrived.get(`${kind} ${source} ${n}`) ?? Infinity) - acknowledgedAt,
      ),
    ),
  );
};

const parks = [1, 2, 3, 4].map((n) => `aaaaaaaa-0000-4000-8000-00000000000${n}`);
const failing = parks[0] as string;
const failureMs = Number(process.env['PARKING_FAILURE_S'] ?? '40') * 1_000;
/** A refused key is retried after 30 s, then with doubling waits of up to ten minutes. */
const repairedMs = Math.max(120_000, 1.5 * failureMs);
const othersMs = 20_000;
let cluster: Cluster | undefined;

test.after.always(() => cluster?.remove());

test.serial(
  'an integration whose key is refused holds nobody up, over a kill, a restart and a rebalance, and catches up in order',
  async (t) => {
    t.timeout(120_000 + failureMs + 2 * repairedMs);
    cluster = await startCluster(parks, { forwarders: 2 });
    const here = cluster;
    const { platform, kafka } = here;
    const [first, second] = here.forwarders as [Replica, Replica];
    const loads = parks.map((park) => loadFor(t, here, park, { devices: 4, pauseMs: 400 }));
    for (const load of loads) await load.flowing();

    const failedAt = performance.now();
    const passed = (share: number): Promise<void> =>
      until('the failure lasts', () => performance.now() - failedAt >= failureMs * share, failureMs + 1_000);
    await platform.control('POST', `integrations/${failing}`, { key_state: 'refused' });
    await until('events are parked', async () => (await stateOf(here, failing)).parked > 0, 30_000);
    t.true(await isFlagged(here, failing), 'the flag is up');

    await passed(0.3);
    const at = Date.now();
    await first.kill();
    const kill = { at, goneAt: Date.now() };
    await first.start();
    await passed(0.6);
    t.is(await second.stop(), 0);
    await second.start();
    const third = await here.add('observation-forwarder');
    await third.start();
    await passed(1);

    const parkedAtRepair = (await stateOf(here, failing)).parked;
    await platform.control('POST', `integrations/${failing}`, { key_state: 'bound' });
    const repairedAt = performance.now();
    // New events go on coming meanwhile: they must not overtake.
    await until('nothing is parked', async () => (await stateOf(here, failing)).parked === 0, repairedMs);
    const caughtUpMs = Math.round(performance.now() - repairedAt);
    const reports = await Promise.all(loads.map((load) => load.finish(30_000)));
    await until('the flag is lowered', async () => !(await isFlagged(here, failing)), 90_000);
    const { parked } = await readBusHistory(kafka.addresses);
    const later = loadFor(t, here, failing, { devices: 4, pauseMs: 100 });
    await later.flowing();
    reports.push(await later.finish(30_000));
    const parkedLater = (await readBusHistory(kafka.addresses)).parked - parked;

    const slowest = await Promise.all(loads.map((load) => slowestArrival(here, load)));
    const lines = await platform.door();
    const inFlight = inFlightAt(lines, [kill]);
    const facts = { failureMs, parkedAtRepair, caughtUpMs, parked, parkedLater, slowest, inFlight };
    t.log(`parking: ${JSON.stringify(facts)}`);
    for (const report of reports) t.log(`checker: ${JSON.stringify(report)}`);
    t.true(parkedAtRepair > 100, 'a heap of events was parked');
    t.is(parkedLater, 0, 'later events go the direct way');
    t.true((slowest[0] ?? 0) > failureMs * 0.8, 'the integration did fail');
    for (const ms of slowest.slice(1)) t.true(ms <= othersMs, `another integration was delayed by ${ms} ms`);
    t.is(
      (await Promise.all(parks.map((park) => stateOf(here, park)))).reduce((sum, one) => sum + one.dead_letters, 0),
      0,
      'dead letters',
    );
    for (const { lost, orderViolations, messageFirst } of reports)
      t.deepEqual({ lost, orderViolations, messageFirst }, { lost: 0, orderViolations: 0, messageFirst: 0 });
    t.deepEqual(unexplainedRepeats(lines, [kill]), [], 'repeats of what was not in flight');
    const duplicates = reports.reduce((sum, report) => sum + report.duplicates, 0);
    t.true(duplicates <= inFlight, `${duplicates} duplicates, ${inFlight} in flight`);
  },
);
