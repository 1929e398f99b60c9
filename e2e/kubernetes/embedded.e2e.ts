import test, { type ExecutionContext } from 'ava';
import type { Pod } from './harness/wire.ts';
import { until } from '../src/harness/until.ts';
import { helmIn } from './harness/helm.ts';
import { loadImages } from './harness/images.ts';
import { openNamespace, removeNamespace } from './harness/namespace.ts';
import { openNode, type KubernetesNode } from './harness/node.ts';
import { startHarness, type Outside } from './harness/outside.ts';
import { killPod } from './harness/pod-killer.ts';
import { isReady, podsOf } from './harness/pods.ts';
import {
  chart,
  ofThisHarness,
  overlay,
  release,
  secretOf,
  testOf,
  webhookOf,
  webhookToken,
} from './harness/release.ts';
import { platformSettings } from './harness/readme.ts';
import { assertExplained, vendorFor } from './harness/vendor.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const component = 'ranger-relay';
let node: KubernetesNode;

test.before(async (t) => {
  node = await openNode(t);
  await loadImages(node);
});

const installIn = async (t: ExecutionContext, namespace: string, values: object, platform?: Outside['platform']) => {
  const kubectl = await openNamespace(node, namespace);
  t.teardown(() => removeNamespace(node, namespace));
  const helm = helmIn(node, namespace);
  if (platform) await kubectl.apply(secretOf({ platform }, [park]));
  const settings = platform ? platformSettings({ platform }) : [];
  await helm.must(['install', release, chart, '--wait', '--timeout', '180s', ...settings], values);
  const webhookUrl = await webhookOf(kubectl, release);
  const answers = async (): Promise<boolean> => (await fetch(webhookUrl, { method: 'POST' })).status > 0;
  await until('the Service answers', answers);
  const pod = async (): Promise<Pod | undefined> => (await podsOf(kubectl, component)).find(isReady);
  return { kubectl, helm, webhookUrl, pod };
};

test.serial(
  'one switch installs the whole chain with simulators, and helm test sends an event through it',
  async (t) => {
    t.timeout(300_000);
    const { helm, kubectl } = await installIn(t, 'embedded-try', { embedded: { enabled: true } });
    const { code, stdout } = await testOf(helm);
    t.is(code, 0, stdout);
    t.regex(stdout, /platform +accepted the test event/);
    const larger = { embedded: { enabled: true, persistence: { size: '6Gi' } } };
    const upgrade = ['upgrade', release, chart, '--timeout', '180s'];
    const refused = await helm.run(upgrade, larger);
    t.not(refused.code, 0);
    t.regex(refused.stderr, /updates to statefulset spec/);
    await kubectl.must('delete', 'statefulset', release, '--cascade=orphan');
    await helm.must(upgrade, larger);
  },
);

test.serial('one process whose pod is killed loses nothing of what it acknowledged', async (t) => {
  t.timeout(600_000);
  const { platform, end } = await startHarness(node, [park]);
  t.teardown(end);
  const values = overlay(ofThisHarness(node), { embedded: { enabled: true } });
  const here = await installIn(t, 'embedded', values, platform);
  const target = { webhookUrl: here.webhookUrl, token: webhookToken, platform };
  const vendor = vendorFor(t, target, { integrations: [park], devices: 12, pauseMs: 100 });
  await until('events are acknowledged', () => vendor.acknowledged() > 200, 60_000);
  const victim = await here.pod();
  const kill = victim && (await killPod(here.kubectl, victim, component));
  if (!kill) return t.fail('no pod is ready');
  await until('another pod is ready', async () => (await here.pod()) !== undefined, 120_000, 500);
  const found = await vendor.finish(vendor.acknowledged() + 200, [kill]);
  assertExplained(t, found);
  const tested = await testOf(here.helm);
  t.is(tested.code, 0, tested.stdout);
});
