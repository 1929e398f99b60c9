import { fileURLToPath } from 'node:url';
import test from 'ava';
import { chartSpecs, leastFile, valuesOf } from './charts/least.ts';
import { renderChart } from './charts/render.ts';
import { call } from './harness/call.ts';
import { type KubernetesNode, openNode } from './harness/node.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let node: KubernetesNode;

test.before(async (t) => {
  node = await openNode(t);
});

type Paths = Readonly<Record<string, unknown>>;

const problemWith = async (paths: Paths, files = [leastFile]): Promise<string> => {
  const rendering = await renderChart(node.env, 'patrol-sync', { files, values: valuesOf(paths) });
  return rendering.ok ? '' : rendering.problem;
};

for (const [what, values, sentence] of [
  ['no site', { 'site.endpoint': '' }, 'site.endpoint is not set'],
  ['two bundles', { 'bundle.configMap': 'x', 'bundle.claim.path': '' }, 'are both set'],
  ['no bundle', { 'bundle.claim.name': '', 'bundle.claim.path': '' }, 'it is not said where the bundle is'],
  ['a folder without its volume', { 'bundle.claim.name': '', 'bundle.configMap': 'x' }, 'bundle.claim.name is not'],
  ['no volume for records', { 'output.claim.create': false }, 'does not say which claim is used'],
  [
    'a plan in place of the checklist of a plan',
    { 'output.plan': 'plan-checklist.md' },
    'output.plan is plan-checklist.md, which is the checklist of a plan (output.checklist is checklist.md)',
  ],
  [
    'a checklist in place of the plan',
    { 'output.checklist': 'plan.json' },
    'output.plan and output.checklist are both plan.json; give each a name of its own',
  ],
  ['one claim for both', { 'output.claim.name': 'bundles' }, 'set output.claim.create to false'],
  ['a name that is too long', { fullnameOverride: 'x'.repeat(50) }, 'too long for the names of CronJobs'],
  ['a variable twice', { extraEnv: [{ name: 'SUMMARY_FILE', value: '/tmp/x' }] }, 'extraEnv gives SUMMARY_FILE, which'],
  ['a volume twice', { extraVolumes: [{ name: 'site' }] }, 'extraVolumes gives site, which the pod has without it'],
  [
    'a mount over another',
    { extraVolumeMounts: [{ name: 'a', mountPath: '/output/' }] },
    'extraVolumeMounts gives /output, which the pod has without it',
  ],
  [
    'a label by which pods are found',
    { podLabels: { 'app.kubernetes.io/name': 'x' } },
    'podLabels gives app.kubernetes.io/name, which the chart gives itself',
  ],
  [
    'the label of the command',
    { podLabels: { 'ranger-relay/command': 'x' } },
    'podLabels gives ranger-relay/command, which the chart gives itself',
  ],
  ['a schedule', { schedule: '@daily' }, 'every run is started by a person'],
  ['a token in the clear', { 'options.siteToken': 'x' }, 'a token does not stand in the arguments'],
] as const)
  test.serial(`is refused with one sentence: ${what}`, async (t) => {
    const problem = await problemWith(values);
    t.true(problem.includes(sentence), problem);
    t.is(problem.split('\n').length, 1, problem);
  });

test.serial('is refused with one sentence: no token', async (t) => {
  const problem = await problemWith({ 'site.endpoint': 'site.example', 'bundle.configMap': 'x' }, []);
  t.true(problem.includes('site.token is not set'), problem);
});

test.serial('a value that the tool would refuse is refused before anything is installed', async (t) => {
  t.timeout(300_000);
  const { entries = [] } = (await chartSpecs())['patrol-sync'] ?? {};
  const refusing = entries.filter(({ refuses }) => refuses !== undefined);
  t.true(refusing.length >= 10);
  for (const { path, refuses } of refusing)
    t.true((await problemWith({ [path]: refuses?.value })).includes(refuses?.says ?? ''), path);
});

test.serial('the manifests for those without Helm are what the chart renders', async (t) => {
  const { code, stdout } = await call(process.execPath, ['scripts/plain-manifests.mjs', '--check'], {
    cwd: root,
    env: node.env,
  });
  t.is(code, 0, stdout);
});
