import { rmSync } from 'node:fs';
import test from 'ava';
import type { KubeObject } from './charts/objects.ts';
import { chartNames } from './charts/render.ts';
import { call, must } from './harness/call.ts';
import { type KubernetesNode, openNode } from './harness/node.ts';
import { checkov } from './scan/checkov.ts';
import { exceptions } from './scan/exceptions.ts';
import { type Finding, weigh } from './scan/findings.ts';
import { kubeScore, renderAll, type ScannedRendering } from './scan/kube-score.ts';

/** Where renderings are installed, as far as they know. */
const namespace = 'relay';
/** Kinds whose definitions no module carries; the invariants over every rendering check them. */
const undefinedKinds = new Set(['KafkaTopic', 'KafkaUser']);

/** Named by files of values; a cluster has them or not. */
const priorityClass = 'emergency';
const watched = ['patrols', 'north', 'south'];

let node: KubernetesNode;
let folder = '';
let renderings: readonly ScannedRendering[] = [];

test.before(async (t) => {
  node = await openNode(t, { scanners: true });
  ({ folder, renderings } = await renderAll(node.env));
});
test.after.always(() => {
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
});

test.serial('every chart has files of values to be rendered with', (t) => {
  t.deepEqual([...new Set(renderings.map(({ chart }) => chart))], chartNames());
});

test.serial(
  'kube-score and checkov find nothing that is not explained, and nothing is explained that they do not find',
  async (t) => {
    t.timeout(600_000);
    const scored: Finding[] = [];
    // One after the other: what else runs here has its processors too.
    for (const rendering of renderings) scored.push(...(await kubeScore(node.env, rendering)));
    const { unexplained, unused } = weigh([...scored, ...(await checkov(node.env, folder))], exceptions);
    t.deepEqual(unexplained, []);
    t.deepEqual(unused, []);
    for (const { why } of exceptions) t.regex(why, /^[A-Z].{30,}\.$/s);
  },
);

const apply = (items: readonly KubeObject[], ...options: readonly string[]) =>
  call('kubectl', ['apply', ...options, '--filename', '-'], {
    env: node.env,
    input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  });

const dryRun = async (objects: readonly KubeObject[]) => {
  // A Pod of a helm test is not even looked at without its account.
  await apply(objects.filter(({ kind }) => kind === 'ServiceAccount'));
  const known = objects.filter(({ kind }) => !undefinedKinds.has(kind));
  return apply(known, '--dry-run=server', '--validate=strict');
};

test.serial(
  'the API server takes every rendering, with the definitions of other projects, and warns of nothing',
  async (t) => {
    t.timeout(600_000);
    const kubectl = (...args: readonly string[]) => must('kubectl', args, { env: node.env });
    await kubectl('apply', '--server-side', '--filename', node.definitions);
    for (const name of [namespace, ...watched]) await kubectl('create', 'namespace', name);
    await kubectl('create', 'priorityclass', priorityClass, '--value', '1000');
    t.teardown(async () => {
      await kubectl('delete', 'priorityclass', priorityClass);
      await kubectl('delete', 'namespace', namespace, ...watched);
      await kubectl('delete', '--filename', node.definitions);
    });
    await kubectl('label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted');
    await kubectl('label', 'namespace', namespace, 'pod-security.kubernetes.io/warn=restricted');
    await kubectl('wait', '--for=condition=Established', '--timeout=30s', '--filename', node.definitions);
    for (const { name, objects } of renderings) {
      const { code, stderr } = await dryRun(objects);
      t.is(code, 0, `${name}: ${stderr}`);
      t.is(stderr, '', name);
    }
    const [first] = renderings[0]?.objects ?? [];
    const wrong = await dryRun([{ ...first, spec: { ...first?.spec, nonsense: true } } as KubeObject]);
    t.not(wrong.code, 0);
    t.regex(wrong.stderr, /unknown field/);
  },
);
