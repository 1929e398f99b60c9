import { seededRandom } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { exactly } from '../src/bench/table.ts';
import { tellKill } from '../src/harness/in-flight.ts';
import { assertWhole } from '../src/harness/outage.ts';
import { until } from '../src/harness/until.ts';
import { openNode } from './harness/node.ts';
import { killPods } from './harness/pod-killer.ts';
import { untilQuiet } from './harness/quiet.ts';
import { isReady, podsOf } from './harness/pods.ts';
import { blocks, components, prepareRelease, type Release } from './harness/release.ts';
import { report } from './harness/report.ts';
import { restartAll, rollBack, upgrade } from './harness/rollouts.ts';
import { assertExplained, vendorFor, type Vendor } from './harness/vendor.ts';

const parks = ['aaaaaaaa-0000-4000-8000-000000000001', 'bbbbbbbb-0000-4000-8000-000000000002'] as const;
const load = { integrations: parks, devices: 12, pauseMs: 150 };
const events = 8_000;
let here: Release;

/** Two of each, so that one can go. */
const replicas = 2;
const pairs = Object.fromEntries(Object.values(blocks).map((block) => [block, { replicas }]));

test.before(async (t) => {
  const node = await openNode(t);
  await untilQuiet(node, t);
  here = await prepareRelease(node, 'rollouts', parks);
  // A mark that waits for the store while pods start would be missing at a kill long after the platform's answer.
  await node.script('admit.sh', String(here.outside.redis.process()));
  await here.install(pairs);
  // A platform that takes its time keeps calls open, so that kills find some.
  await here.platform.fault({ fault: 'slow', ms: 20, endpoint: 'sensors' });
});
test.after.always(() => here?.remove());

/** So long services tell their clients to leave before they close. */
const leaveMs = 1_000;

/** What a vendor would notice: how it was answered, and when. */
const noticedBy = ({ answers }: Vendor) =>
  answers
    .filter(({ status }) => status !== 200)
    .map(({ at, ms, status, problem, reused = false, sinceEarlierMs = 0 }) => ({
      at: new Date(performance.timeOrigin + at).toISOString(),
      ms,
      status,
      problem,
      reused,
      sinceEarlierMs,
    }));

test.serial('a rolling restart of every deployment refuses the vendor nothing, and repeats nothing', async (t) => {
  t.timeout(300_000);
  const vendor = vendorFor(t, here, load);
  await until('events are acknowledged', () => vendor.acknowledged() > 100);
  await restartAll(here, components);
  const found = await vendor.finish(vendor.acknowledged() + 100);
  const noticed = noticedBy(vendor);
  t.log(`noticed: ${JSON.stringify(noticed)}`);
  const refused = noticed.filter(({ reused }) => !reused);
  t.deepEqual(refused, [], 'answers to the vendor');
  // No server can tell a client that a kept connection ends before the client uses it; who used it while the server left was told.
  const untold = noticed.filter(({ sinceEarlierMs }) => sinceEarlierMs < leaveMs);
  t.deepEqual(untold, [], 'kept connections that ended as they were used');
  assertWhole(t, found.report);
  t.is(found.report.duplicates, 0, 'duplicates');
});

/** The platform refuses everything for a while, so that there is lag while pods are replaced. */
const withLag = async (work: () => Promise<void>): Promise<void> => {
  const away = await here.platform.fault({ fault: 'status', status: 503, endpoint: 'sensors' });
  const working = work();
  await new Promise((resolve) => setTimeout(resolve, 8_000));
  await here.platform.repair(away);
  await working;
};

test.serial('rolling restarts, pods deleted, an upgrade with lag and a rollback lose nothing', async (t) => {
  t.timeout(900_000);
  const seed = Date.now() % 1_000_000;
  const vendor = vendorFor(t, here, load);
  let over = false;
  t.teardown(() => (over = true));
  const { kubectl } = here;
  const killing = killPods({ kubectl, components, random: seededRandom(seed), everyMs: 6_000, until: () => over });
  for (const component of components) await restartAll(here, [component]);
  await withLag(() => upgrade(here, { config: { LOG_LEVEL: 'debug' } }));
  await rollBack(here, 1);
  await until('most events are acknowledged', () => vendor.acknowledged() >= events * 0.9, 300_000);
  over = true;
  const kills = await killing;
  const { report: found, unexplained, statuses } = await vendor.finish(events, kills);
  t.log(`seed ${seed}; answers ${JSON.stringify(statuses)}; ${JSON.stringify(found)}`);
  if (unexplained.length > 0) t.log(`kills: ${kills.map(tellKill).join('; ')}`);
  report(t.log, [
    { name: 'cluster: events posted through the Service', unit: 'events', value: found.acknowledged },
    { name: 'cluster: pods deleted with grace 0 meanwhile', unit: 'pods', value: kills.length },
    exactly('cluster: events lost', 'events', found.lost, 0),
    { name: 'cluster: sent to the platform twice', unit: 'items', value: found.duplicates },
    { name: 'cluster: 503s, each sent again by the vendor', unit: 'answers', value: statuses[503] ?? 0 },
  ]);

  t.true(found.acknowledged >= events);
  t.true(kills.length >= components.length, `${kills.length} kills`);
  assertExplained(t, { report: found, unexplained });
  const others = Object.keys(statuses).filter((status) => !['0', '200', '503'].includes(status));
  t.deepEqual(others, [], 'nothing but 200, 503 and broken connections');
  const refusals = vendor.answers.filter(({ status }) => status === 503);
  const hasty = refusals.filter(({ retryAfter }) => !(Number(retryAfter) > 0));
  t.deepEqual(hasty, [], 'each 503 says when to come back');
  for (const component of components)
    await until(`${component} is ready`, async () => (await podsOf(here.kubectl, component)).every(isReady), 60_000);
});
