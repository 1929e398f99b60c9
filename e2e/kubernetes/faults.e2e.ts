import { spawn } from 'node:child_process';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Pod } from './harness/wire.ts';
import type { Kill } from '../src/harness/in-flight.ts';
import { assertWhole } from '../src/harness/outage.ts';
import { until } from '../src/harness/until.ts';
import { openNode } from './harness/node.ts';
import { killOf } from './harness/pod-killer.ts';
import { memoryGroupOf, processOf, isReady, podsOf } from './harness/pods.ts';
import { everyPod, prepareRelease, type Release } from './harness/release.ts';
import { assertExplained, vendorFor, type Vendor } from './harness/vendor.ts';

/** Fills the memory of the control group that it joins; the kernel kills processes of pods first. */
const filler = `
  const { writeFileSync } = require('node:fs');
  writeFileSync(process.argv[1], String(process.pid));
  const all = [];
  setInterval(() => all.push(Buffer.alloc(16 * 1_048_576, 1)), 10);
`;

/** Takes the memory of a container's limit away from its process, until the kernel kills it. */
export const outgrowMemory = async (pod: Pod): Promise<Kill> => {
  const pid = processOf(pod);
  const at = Date.now();
  const child = spawn(process.execPath, ['-e', filler, join(memoryGroupOf(pod), 'cgroup.procs')], { stdio: 'inherit' });
  try {
    await until(`${pod.metadata.name} is out of memory`, () => processOf(pod) !== pid, 60_000);
  } finally {
    child.kill('SIGKILL');
  }
  return killOf(pod, 'forwarder', { at, goneAt: Date.now() });
};

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
let here: Release;

test.before(async (t) => {
  here = await prepareRelease(await openNode(t), 'faults', [park]);
  await here.install();
});
test.after.always(() => here?.remove());

const startVendor = async (t: ExecutionContext): Promise<Vendor> => {
  const vendor = vendorFor(t, here, { integrations: [park], devices: 12, pauseMs: 100 });
  await until('events are acknowledged', () => vendor.acknowledged() > 100);
  return vendor;
};

/** Names of pods with how often their containers were started again. */
const restarts = (pods: readonly Pod[]): Record<string, number> =>
  Object.fromEntries(
    pods.map(({ metadata, status }) => [metadata.name, status?.containerStatuses?.[0]?.restartCount ?? -1]),
  );

for (const daemon of ['kubelet', 'containerd'])
  test.serial(`${daemon} is killed and started again: no pod is replaced or restarted, nothing is lost`, async (t) => {
    t.timeout(180_000);
    const before = restarts(await everyPod(here.kubectl));
    const vendor = await startVendor(t);
    await here.node.script('daemon.sh', 'kill', daemon);
    const some = vendor.acknowledged();
    await until('events are acknowledged without it', () => vendor.acknowledged() > some + 300);
    await here.node.script('daemon.sh', 'start', daemon);
    const reports = async (): Promise<boolean> =>
      (await here.kubectl.run('logs', '--tail=1', '--selector', 'app.kubernetes.io/component=webhook-ingester'))
        .code === 0;
    await until('the node answers again', reports, 60_000);
    const found = await vendor.finish(vendor.acknowledged() + 300);
    t.deepEqual(Object.keys(found.statuses), ['200'], 'answers to the vendor');
    assertWhole(t, found.report);
    t.is(found.report.duplicates, 0, 'duplicates');
    // While its kubelet was away the node counted as lost, and its pods as not ready.
    await until('every pod is ready again', async () => (await everyPod(here.kubectl)).every(isReady), 60_000, 500);
    t.deepEqual(restarts(await everyPod(here.kubectl)), before);
  });

test.serial('a container beyond its memory limit is killed, says so, starts again, and nothing is lost', async (t) => {
  t.timeout(180_000);
  const vendor = await startVendor(t);
  const [victim] = await podsOf(here.kubectl, 'observation-forwarder');
  if (victim === undefined) return t.fail('no forwarder');
  const kill = await outgrowMemory(victim);
  const present = async () =>
    (await podsOf(here.kubectl, 'observation-forwarder')).find(({ metadata }) => metadata.uid === victim.metadata.uid);
  const status = async () => (await present())?.status?.containerStatuses?.[0];
  await until('it has been started again', async () => (await status())?.restartCount === 1, 60_000);
  const ended = (await status())?.lastState?.terminated;
  t.is(ended?.reason, 'OOMKilled');
  t.is(ended?.exitCode, 137);
  await until('it is ready', async () => isReady((await present()) ?? victim), 60_000);
  const found = await vendor.finish(vendor.acknowledged() + 300, [kill]);
  assertExplained(t, found);
});
