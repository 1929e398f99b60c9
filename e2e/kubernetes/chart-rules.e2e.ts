import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commonEnv } from '@ranger-relay/runtime';
import test from 'ava';
import { invariants } from './charts/invariants/index.ts';
import { leastFile } from './charts/least.ts';
import { place } from './charts/place.ts';
import { chartNames, chartsFolder, ciFiles, mustRender, renderChart } from './charts/render.ts';
import { call, must } from './harness/call.ts';
import { openTools } from './harness/node.ts';

const folder = mkdtempSync(join(tmpdir(), 'relay-charts-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

let node: Awaited<ReturnType<typeof openTools>>;
test.before(async (t) => {
  node = await openTools(t);
});

const render = (chart: string, file: string) => mustRender(renderChart(node.env, chart, { files: [file] }));

for (const chart of chartNames())
  for (const file of ciFiles(chart))
    test.serial(`every rule holds for ${chart} with ${file}`, async (t) => {
      const { objects } = await render(chart, file);
      t.true(objects.length > 0);
      const broken = Object.entries(invariants(folder)).flatMap(([rule, check]) =>
        check(objects).map((problem) => `${rule}: ${problem}`),
      );
      t.deepEqual(broken, []);
    });

for (const chart of chartNames())
  test.serial(`helm finds nothing to say about ${chart}`, async (t) => {
    const files = ciFiles(chart).flatMap((file) => ['--values', join(chartsFolder, chart, file)]);
    for (let i = 0; i < files.length; i += 2) {
      const args = ['lint', '--strict', join(chartsFolder, chart), ...files.slice(i, i + 2)];
      const { code, stdout, stderr } = await call('helm', args, { env: node.env });
      t.is(code, 0, `${files[i + 1]}: ${stdout}${stderr}`);
      t.notRegex(stdout, /\[(?:WARNING|ERROR)\]/);
    }
  });

for (const chart of chartNames())
  test.serial(`on OpenShift no pod of ${chart} names a user or a group, and each stays restricted`, async (t) => {
    for (const file of ciFiles(chart)) {
      const serves = ['security.openshift.io/v1'];
      const { text, objects } = await mustRender(renderChart(node.env, chart, { files: [file], serves }));
      t.notRegex(text, /runAsUser: |runAsGroup: |fsGroup: |"runAsUser":\d/, file);
      t.deepEqual(invariants(folder)['pods meet the restricted standard']?.(objects), [], file);
    }
  });

test.serial('pods listen to IPv4 and IPv6, so that a cluster of one of them reaches them', async (t) => {
  for (const [chart, is] of [
    ['ranger-relay', null],
    ['operator', '::'],
  ] as const)
    t.is(await shown(chart, {}, 'Deployment#spec.template.spec.containers[0].env[name=HOST].value'), is, chart);
  t.is(commonEnv.HOST.default, '::');
  const host = 'StatefulSet#spec.template.spec.containers[0].env[name=HOST].value';
  const embedded = await renderChart(node.env, 'ranger-relay', { values: { embedded: { enabled: true } } });
  t.is(embedded.ok && place(embedded.objects, host), '::');
});

test.serial('helm builds and packs the charts without a network, and what is packed renders the same', async (t) => {
  const chart = 'ranger-relay';
  await must('helm', ['package', join(chartsFolder, chart), '--destination', folder], { env: node.env });
  const packed = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  const values = join(chartsFolder, chart, leastFile);
  const args = ['template', 'release', join(folder, packed), '--namespace', 'relay', '--values', values];
  t.is(await must('helm', args, { env: node.env }), (await render(chart, leastFile)).text);
});

const shown = async (chart: string, values: object, at: string, release = 'release'): Promise<unknown> => {
  const { objects } = await mustRender(renderChart(node.env, chart, { files: [leastFile], values, release }));
  return place(objects, at);
};

const off = { enabled: false };
const onlyRunner = { ingester: off, forwarder: off, pusher: off };
const runner = 'Deployment/action-runner#';

test.serial('the heap follows the limit of memory in every unit, below what is beside it', async (t) => {
  for (const [memory, ingester, pusher] of [
    ['1Gi', 665, 768],
    ['1024Mi', 665, 768],
    ['1G', 608, 711],
    ['600M', 304, 406],
  ] as const)
    for (const [block, name, heap] of [
      ['ingester', 'webhook-ingester', ingester],
      ['pusher', 'message-pusher', pusher],
    ] as const) {
      const values = { [block]: { resources: { limits: { memory } } } };
      const arg = await shown('ranger-relay', values, `Deployment/${name}#spec.template.spec.containers[0].args[0]`);
      t.is(arg, `--max-old-space-size=${heap}`, `${block} ${memory}`);
    }
});

const nameIn = (release: string, runner = {}) =>
  shown('ranger-relay', { ...onlyRunner, runner }, 'Deployment#metadata.name', release);

test.serial('objects are named after the release and the component, once, and never too long', async (t) => {
  t.is(await nameIn('north'), 'north-action-runner');
  t.is(await nameIn('action-runner'), 'action-runner');
  t.is(await nameIn('north-action-runner'), 'north-action-runner');
  t.is(await nameIn('north', { fullnameOverride: 'runner' }), 'runner');
  t.is(String(await nameIn('a'.repeat(53))).length, 52);
});

test.serial('names change the names of objects, and never the labels by which pods are found', async (t) => {
  for (const [chart, component, at, under] of [
    ['ranger-relay', 'action-runner', 'Deployment#spec.selector.matchLabels', 'runner'],
    ['operator', 'operator', 'Deployment#spec.selector.matchLabels', undefined],
    ['patrol-sync', 'patrol-sync', 'NetworkPolicy#spec.podSelector.matchLabels', undefined],
  ] as const) {
    const labels = { name: component, instance: 'release', component };
    const expected = Object.fromEntries(Object.entries(labels).map(([key, is]) => [`app.kubernetes.io/${key}`, is]));
    const beside = under === undefined ? {} : onlyRunner;
    t.deepEqual(await shown(chart, beside, at), expected);
    const [name, full] = [{ nameOverride: 'x' }, { fullnameOverride: 'x' }];
    for (const names of [name, full, { ...name, ...full }]) {
      const values = under === undefined ? names : { ...beside, [under]: names };
      t.deepEqual(await shown(chart, values, at), expected, JSON.stringify(names));
    }
  }
});

test.serial('how long a pod may take to its end follows from its longest work', async (t) => {
  const grace = `${runner}spec.template.spec.terminationGracePeriodSeconds`;
  t.is(await shown('ranger-relay', {}, grace), 575);
  const values = { runner: { config: { MAX_ACTION_EXECUTION_TIME: 1_000 }, preStopSeconds: 10 } };
  t.is(await shown('ranger-relay', values, grace), 1_040);
  const stop = `${runner}spec.template.spec.containers[0].env[name=STOP_GRACE_S].value`;
  t.is(await shown('ranger-relay', { runner: { config: { MAX_ACTION_EXECUTION_TIME: '1000' } } }, stop), '1025');
});

test.serial('fractions reach a pod as they were written, as numbers and as texts', async (t) => {
  const at = 'Deployment/webhook-ingester#spec.template.spec.containers[0].resources.limits.cpu';
  t.is(Number(await shown('ranger-relay', { resources: { limits: { cpu: 1.5 } } }, at)), 1.5);
  t.is(Number(await shown('ranger-relay', { resources: { limits: { cpu: '1.5' } } }, at)), 1.5);
});

test.serial(
  'a dollar reaches a process as it was written, and stays a reference where people write for the kubelet',
  async (t) => {
    const written = '$(HOSTNAME) $$ $x';
    const doubled = '$$(HOSTNAME) $$$$ $$x';
    const at = 'spec.template.spec.containers[0]';
    const values = { platform: { clientId: written }, extraEnv: [{ name: 'PROBE', value: written }] };
    t.is(await shown('ranger-relay', values, `${runner}${at}.env[name=PLATFORM_CLIENT_ID].value`), doubled);
    t.is(await shown('ranger-relay', values, `${runner}${at}.env[name=PROBE].value`), written);
    const option = `--roster-group=${doubled}`;
    const arg = `CronJob/-doctor#spec.jobTemplate.${at}.args[=${option}]`;
    t.is(await shown('patrol-sync', { options: { rosterGroup: written } }, arg), option);
  },
);

test.serial('large numbers reach a pod as they were written, as numbers and as texts', async (t) => {
  const at = 'Deployment/webhook-ingester#spec.template.spec.containers[0].env[name=WEBHOOK_MAX_BODY_BYTES].value';
  t.is(await shown('ranger-relay', { ingester: { config: { WEBHOOK_MAX_BODY_BYTES: 33_554_432 } } }, at), '33554432');
  t.is(await shown('ranger-relay', { ingester: { config: { WEBHOOK_MAX_BODY_BYTES: '33554432' } } }, at), '33554432');
});
