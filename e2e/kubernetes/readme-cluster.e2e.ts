import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { atMost } from '../src/bench/table.ts';
import { isRecorded, type Step } from '../src/harness/console-blocks.ts';
import { inUse, openSyncHarness } from '../src/harness/sync.ts';
import { event, send, untilStored } from '../src/harness/traffic.ts';
import { until } from '../src/harness/until.ts';
import { call } from './harness/call.ts';
import { loadImages } from './harness/images.ts';
import { kubectlIn } from './harness/kubectl.ts';
import { removeNamespace } from './harness/namespace.ts';
import { openNode, type KubernetesNode } from './harness/node.ts';
import { servicesTo, startOutside, type Outside } from './harness/outside.ts';
import { memoryOf } from './harness/pods.ts';
import { untilQuiet } from './harness/quiet.ts';
import { clusterSteps, syncFiles, syncSteps, typedOn } from './harness/readme.ts';
import { ofThisHarness, release, secretOf, webhookOf, webhookToken } from './harness/release.ts';
import { report } from './harness/report.ts';
import { definitions, type SyncObject } from './harness/syncs.ts';
import { releaseVolume } from './harness/volumes.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const charts = fileURLToPath(new URL('../../charts', import.meta.url));
const namespace = release;
let node: KubernetesNode;
let outside: Outside;
let folder: string;

test.before(async (t) => {
  node = await openNode(t);
  await untilQuiet(node, t);
  await loadImages(node);
  await removeNamespace(node, namespace);
  outside = await startOutside(node, [park]);
  folder = mkdtempSync(join(tmpdir(), 'ranger-relay-readme-'));
  symlinkSync(charts, join(folder, 'charts'));
  const { stringData } = secretOf(outside, [park]) as { stringData: Record<string, string> };
  writeFileSync(join(folder, 'client-secret'), stringData['PLATFORM_CLIENT_SECRET'] ?? '');
  writeFileSync(join(folder, 'actions-token'), stringData['AUTH_TOKEN'] ?? '');
  writeFileSync(join(folder, 'webhook-tokens.json'), stringData['WEBHOOK_TOKENS_FILE'] ?? '');
  writeFileSync(join(folder, 'this-world.json'), JSON.stringify(ofThisHarness(node)));
});
test.after.always(async () => {
  const kubectl = kubectlIn(node, namespace);
  await removeNamespace(node, namespace);
  await releaseVolume(kubectl);
  const ofRelease = ['--selector', `app.kubernetes.io/instance=${release}`];
  await kubectl.run('delete', 'clusterroles,clusterrolebindings', ...ofRelease);
  await kubectl.run('delete', 'customresourcedefinitions', '--ignore-not-found', ...definitions);
  await outside?.end();
  rmSync(folder, { recursive: true, force: true });
});

/** What differs from one session to the next, made equal: times, ids, the ends of pods' names, and widths. */
const plain = (text: string): readonly string[] =>
  text
    .trimEnd()
    .replaceAll(/\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}/g, '<time>')
    .replaceAll(/\b[0-9a-f]{64}\b/g, '<hash>')
    .replaceAll(/\bnorth-[0-9a-f]{8}(?=\/)/g, 'north-<folder>')
    .replaceAll(/\d{8}T\d{6}Z|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .replaceAll(/ \d+[smh](\d+s)?$/gm, ' <age>')
    .replaceAll(/\b[0-9a-f]{12}\b|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d+(\.\d+)? s\b/g, '<seconds>')
    .replaceAll(/-[0-9a-f]{7,10}-[0-9a-z]{5}\b/g, '-<pod>')
    .replaceAll(/ +$/gm, '')
    .replaceAll(/ {2,}/g, '  ')
    .split('\n')
    .filter((line) => !line.startsWith('level=INFO msg="found symbolic link'));

/** The command as it is to be typed here. */
const typed = (step: Step): string => {
  const line = typedOn(outside, step);
  return line.startsWith('helm install ranger-relay ') ? `${line} --values this-world.json` : line;
};

const perform = async (t: ExecutionContext, step: Step): Promise<void> => {
  // The images of these sources are in the node already.
  if (step.command === 'npm run images') return;
  const { code, stdout } = await call('sh', ['-c', `${typed(step)} 2>&1`], {
    cwd: folder,
    env: node.env,
    timeoutMs: 300_000,
  });
  t.is(code, 0, `${step.command}\n${stdout}`);
  const recorded = step.lines.flatMap(plain);
  t.true(isRecorded(recorded, stdout === '' ? [] : plain(stdout)), `${step.command}\n${stdout}`);
};

test.serial(
  'each step of docs/kubernetes.md does what is recorded, and everything is ready within a minute',
  async (t) => {
    t.timeout(600_000);
    const kubectl = kubectlIn(node, namespace);
    for (const step of clusterSteps) {
      const began = performance.now();
      await perform(t, step);
      const value = (performance.now() - began) / 1_000;
      // Kafka and Redis are where the page says that they are.
      if (step.command.startsWith('kubectl create namespace')) await kubectl.apply(...servicesTo(outside));
      if (!step.command.startsWith('helm install ')) continue;
      report(t.log, [atMost('cluster: `helm install` to ready', 's', value, 60)]);
      t.true(value <= 60, `ready after ${value} s`);
    }
  },
);

test.serial('what the page installed forwards an event, and rests in 600 MB', async (t) => {
  t.timeout(120_000);
  const kubectl = kubectlIn(node, namespace);
  const target = { webhookUrl: await webhookOf(kubectl), token: webhookToken, platform: outside.platform };
  await send(target, park, event(1));
  await untilStored(target, park, 1);
  const began = performance.now();
  await until('they have rested', () => performance.now() - began > 20_000);
  const memory = await memoryOf(kubectl);
  const value = [...memory.values()].reduce((sum, bytes) => sum + bytes, 0) / 1e6;
  t.log(JSON.stringify(Object.fromEntries([...memory].map(([pod, bytes]) => [pod, Math.round(bytes / 1e6)]))));
  report(t.log, [atMost(`cluster: idle memory of all ${memory.size} pods`, 'MB', value, 600)]);
  t.true(memory.size >= 4);
  t.true(value <= 600, `${value} MB`);
});

test.serial('a site is synced from the cluster and taken back, typed as it stands', async (t) => {
  t.timeout(900_000);
  const kubectl = kubectlIn(node, namespace);
  const harness = await openSyncHarness(['--contract'], { host: node.host });
  t.teardown(() => harness.remove());
  writeFileSync(join(folder, 'token.txt'), `${harness.site.token}\n`);
  symlinkSync(harness.bundle, join(folder, 'export'));
  /** Hash and record of the page's session, as they are in this one. */
  const ofThisSession = async (text: string): Promise<string> => {
    if (!/[0-9a-f]{64}|patrol-datamodel-run-/.test(text)) return text;
    const { status } = await kubectl.get<SyncObject>('patrolsync', 'north');
    const planned = text.includes('patrolsyncrollback north-back')
      ? await kubectl.get<SyncObject>('patrolsyncrollback', 'north-back')
      : { status };
    return text
      .replaceAll(/[0-9a-f]{64}/g, planned.status?.plan?.hash ?? '')
      .replaceAll(/north-[0-9a-f]{8}\/\d+\/patrol-datamodel-run-\w+\.json/g, status?.lastRun?.record ?? '');
  };
  t.deepEqual([...syncFiles.keys()], ['north.yaml', 'north-back.yaml']);
  for (const step of syncSteps) {
    const [, file] = /--filename (\S+)/.exec(step.command) ?? [];
    if (file !== undefined)
      writeFileSync(
        join(folder, file),
        (await ofThisSession(syncFiles.get(file) ?? '')).replace('site.example', harness.site.url),
      );
    if (step.command.startsWith('kubectl patch patrolsync ')) t.deepEqual(harness.site.log.writes(), []);
    const command = (await ofThisSession(step.command)).replace(
      'site-endpoint=site.example',
      `site-endpoint=${harness.site.url}`,
    );
    await perform(t, { ...step, command });
    if (step.command.startsWith('kubectl describe')) t.is(harness.site.state().types.length, 2);
  }
  t.deepEqual(inUse(harness), [0, 0, 0]);
});
