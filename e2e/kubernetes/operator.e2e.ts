import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { call } from './harness/call.ts';
import { start } from '../src/harness/product.ts';
import { untilPrinted } from '../src/harness/ready.ts';
import { inUse } from '../src/harness/sync.ts';
import { until } from '../src/harness/until.ts';
import { openNode } from './harness/node.ts';
import { isReady } from './harness/pods.ts';
import { openSyncs, type Syncs } from './harness/syncs.ts';
import { folderOf } from './harness/volumes.ts';
import type { Lease } from './harness/wire.ts';

let here: Syncs;

test.before(async (t) => {
  here = await openSyncs(await openNode(t), 'syncs');
  await here.install();
});
test.after.always(() => here?.remove());

const volume = (): Promise<string> => folderOf(here.kubectl, 'patrol-sync-output');

test.serial('the chart installs one pod, which is replaced and never doubled', async (t) => {
  t.true(isReady(await here.pod()));
  const { spec } = await here.home.get<{ spec: object }>('deployment', 'operator');
  t.like(spec, { replicas: 1, strategy: { type: 'Recreate' } });
});

const rollback = (spec: object): object => ({
  apiVersion: 'ranger-relay.dev/v1alpha1',
  kind: 'PatrolSyncRollback',
  metadata: { name: 'back' },
  spec: { syncRef: { name: 'north' }, records: ['north-x/1/patrol-datamodel-run-20260131T140311Z.json'], ...spec },
});

/** What the API server says to an object that is only tried. */
const tried = async (object: object, ...more: readonly string[]): Promise<string> => {
  const args = ['apply', '--namespace', here.kubectl.namespace, '--dry-run=server', '--validate=strict', ...more];
  const options = { env: here.node.env, input: JSON.stringify(object) };
  const { stdout, stderr } = await call('kubectl', [...args, '--filename', '-'], options);
  return stdout + stderr;
};

test.serial('the API server takes what is right and refuses the rest with a sentence', async (t) => {
  const site = { endpoint: 'site.example', token: { name: 'patrol-sync' } };
  const hash = 'a'.repeat(64);
  t.regex(await tried(here.objectOf('right', { mode: 'apply', approve: hash })), /created \(server dry run\)/);
  t.regex(await tried(rollback({})), /created \(server dry run\)/);
  for (const [object, sentence] of [
    [here.objectOf('x', { bundle: {} }), 'give one of claim and configMap'],
    [here.objectOf('x', { bundle: { configMap: 'a', claim: { name: 'b' } } }), 'give one of claim and configMap'],
    [here.objectOf('x', { approve: 'auto' }), 'approve needs mode: apply'],
    [here.objectOf('x', { mode: 'apply', approve: 'yes' }), 'spec.approve'],
    [here.objectOf('x', { mode: 'write' }), 'Unsupported value: "write"'],
    [here.objectOf('x', { site: { ...site, endpoint: 'ftp://site.example' } }), 'spec.site.endpoint'],
    [here.objectOf('x', { bundle: { claim: { name: 'b', path: '../x' } } }), 'spec.bundle.claim.path'],
    [here.objectOf('x', { driftCheckInterval: 'daily' }), 'spec.driftCheckInterval'],
    [here.objectOf('x', { driftCheckInterval: '59s' }), 'give at least 1m, or 0s for never'],
    [here.objectOf('x', { aprove: hash }), 'unknown field "spec.aprove"'],
    [rollback({ records: [] }), 'spec.records'],
    [rollback({ records: ['/etc/passwd'] }), 'spec.records[0]'],
    [rollback({ force: ['everything'] }), 'Unsupported value: "everything"'],
    [rollback({ approve: 'auto' }), 'approve needs mode: apply'],
  ] as const)
    t.true((await tried(object)).includes(sentence), `${sentence}: ${await tried(object)}`);
});

test.serial('planned, approved, applied exactly so, compared; what is left is a person’s', async (t) => {
  t.timeout(300_000);
  await here.kubectl.apply(here.objectOf('north', { mode: 'apply', driftCheckInterval: '1m' }));
  const { status: waiting } = await here.reaches('patrolsync', 'north', 'ApprovalRequired');
  t.deepEqual(here.harness.site.log.writes(), []);
  await here.change('patrolsync', 'north', { approve: waiting?.plan?.hash });
  const { status } = await here.reaches('patrolsync', 'north', 'Applied');
  t.like(status, { lastRun: { outcome: 'done', attempt: 0 }, plan: { hash: waiting?.plan?.hash }, job: undefined });
  t.like(status, { lastRun: { counts: { failed: 0 } }, plan: { counts: { deactivated: 0 } } });
  t.deepEqual(inUse(here.harness), [2, 2, 6]);
  t.deepEqual((await here.commands()).slice(0, 4), ['plan', 'plan', 'apply', 'verify']);
  for (const path of [status?.plan?.path, status?.lastRun?.record])
    t.true(existsSync(join(await volume(), path ?? '-')), path);
  t.is(status?.checklist?.openItems, 6);
  t.regex(readFileSync(join(await volume(), status?.checklist?.path ?? ''), 'utf8'), /Team Alpha/);
});

test.serial('what cannot be changed is refused', async (t) => {
  for (const [spec, sentence] of [
    [{ site: { endpoint: 'other.example' } }, 'make another PatrolSync for another site'],
    [{ output: { claimName: 'other' } }, 'records lie there; make another PatrolSync'],
  ] as const)
    await t.throwsAsync(here.change('patrolsync', 'north', spec), { message: new RegExp(sentence) });
});

test.serial('between two objects the Lease of the site is nobody’s', async (t) => {
  const { items } = await here.home.get<{ items: Lease[] }>('leases', '--selector=ranger-relay.dev/hold=site');
  const holders = items.map(({ spec }) => spec?.holderIdentity);
  t.deepEqual(holders, [undefined]);
});

test.serial('a site that somebody changes is found and reported, and nothing is written', async (t) => {
  t.timeout(180_000);
  const { site } = here.harness;
  const { choices } = site.state();
  const written = site.log.writes().length;
  site.seed({ choices: choices.slice(1) });
  const { status } = await here.reaches('patrolsync', 'north', 'DriftFound');
  t.is(status?.drift?.differences, 1);
  t.is(site.log.writes().length, written);
  site.seed({ choices });
  await here.reaches('patrolsync', 'north', 'Applied');
});

test.serial(
  'a run is taken back by its record: shown first, then done, and nothing is applied afterwards',
  async (t) => {
    t.timeout(300_000);
    await here.change('patrolsync', 'north', { driftCheckInterval: '0s' });
    const { status } = await here.reaches('patrolsync', 'north', 'Applied');
    await here.kubectl.apply(rollback({ records: [status?.lastRun?.record] }));
    const { status: shown } = await here.reaches('patrolsyncrollback', 'back', 'Planned');
    t.true((shown?.plan?.writes ?? 0) > 10);
    t.deepEqual(inUse(here.harness), [2, 2, 6]);
    await here.change('patrolsyncrollback', 'back', { mode: 'apply', approve: shown?.plan?.hash });
    const { status: undone } = await here.reaches('patrolsyncrollback', 'back', 'Undone');
    t.true(existsSync(join(await volume(), undone?.lastRun?.record ?? '-')));
    t.deepEqual(inUse(here.harness), [0, 0, 0]);
    await here.reaches('patrolsync', 'north', 'RolledBack');
  },
);

/** As whom, what is asked, and the answer. */
const answers = async (as: string, words: readonly string[]): Promise<string> =>
  (await here.kubectl.run('auth', 'can-i', ...words, `--as=${as}`)).stdout.trim();

test.serial('who may see a namespace sees the objects, who may edit it changes them', async (t) => {
  for (const role of ['view', 'edit', 'admin'])
    await here.kubectl.must('create', 'rolebinding', role, `--clusterrole=${role}`, `--user=${role}`);
  for (const kind of ['patrolsyncs', 'patrolsyncrollbacks'])
    for (const [role, may] of [
      ['view', 'no'],
      ['edit', 'yes'],
      ['admin', 'yes'],
    ] as const) {
      for (const verb of ['get', 'list', 'watch'])
        t.is(await answers(role, [verb, `${kind}.ranger-relay.dev`]), 'yes', `${role} ${verb}`);
      for (const verb of ['create', 'patch', 'delete'])
        t.is(await answers(role, [verb, `${kind}.ranger-relay.dev`]), may, `${role} ${verb}`);
      t.is(await answers(role, ['patch', `${kind}.ranger-relay.dev`, '--subresource=status']), 'no', role);
    }
  t.is(await answers('nobody', ['get', 'patrolsyncs.ranger-relay.dev']), 'no');
});

/** What the API server says to a change of the spec by somebody who may edit the namespace, and approve when told so. */
const changes = async (who: string, kind: string, name: string, spec: object): Promise<string> => {
  const patch = ['--type=merge', '--patch', JSON.stringify({ spec }), '--dry-run=server', `--as=${who}`];
  const { stdout, stderr } = await here.kubectl.run('patch', kind, name, ...patch);
  return stdout + stderr;
};

test.serial('only who has the right to approve approves, and changes what is approved', async (t) => {
  const bind = ['create', 'rolebinding'];
  await here.kubectl.must(...bind, 'approver', '--clusterrole=operator-approver', '--user=approver');
  await here.kubectl.must('delete', 'patrolsyncrollbacks', '--all');
  // Neither comes to anything: there is no such Secret, and no such PatrolSync.
  const site = { endpoint: here.harness.site.url, token: { name: 'none' } };
  await here.kubectl.apply(
    here.objectOf('asked', { mode: 'apply', site }),
    rollback({ mode: 'apply', syncRef: { name: 'none' } }),
  );
  const hash = 'a'.repeat(64);
  const refused = /needs the verb approve, as ClusterRole operator-approver has it/;
  for (const [kind, name] of [
    ['patrolsync', 'asked'],
    ['patrolsyncrollback', 'back'],
  ] as const) {
    for (const approve of [hash, 'auto'])
      for (const editor of ['edit', 'admin']) t.regex(await changes(editor, kind, name, { approve }), refused);
    t.regex(await changes('edit', kind, name, { retries: 5 }), /patched/);
    t.regex(await changes('approver', kind, name, { approve: hash }), /patched/);
    await here.change(kind, name, { approve: 'auto' });
    for (const more of [{ retries: 6 }, { approve: hash }, { suspend: true, approve: hash }])
      t.regex(await changes('edit', kind, name, more), refused, JSON.stringify(more));
    for (const more of [{ suspend: true }, { approve: null }, { approve: null, retries: 6 }])
      t.regex(await changes('edit', kind, name, more), /patched/, JSON.stringify(more));
    t.regex(await changes('approver', kind, name, { retries: 6 }), /patched/);
    const annotate = ['annotate', kind, name, 'ranger-relay.dev/run=1', '--dry-run=server', '--as=edit'];
    t.regex((await here.kubectl.run(...annotate)).stdout, /annotated/);
    await here.kubectl.must('delete', kind, name);
  }
  const own = here.objectOf('own', { mode: 'apply', approve: 'auto' });
  t.regex(await tried(own, '--as=edit'), refused);
  t.regex(await tried(here.objectOf('own', { mode: 'apply' }), '--as=edit'), /created/);
});

test.serial('a Secret goes nowhere but where whoever may write Secrets has allowed it', async (t) => {
  const site = { endpoint: 'elsewhere.example', token: { name: 'patrol-sync' } };
  await here.kubectl.apply(here.objectOf('thief', { site }));
  await here.reaches('patrolsync', 'thief', 'SecretNotAllowed');
  const owner = (await here.get('patrolsync', 'thief')).metadata.uid;
  const theirs = ['get', 'jobs', '--selector', `ranger-relay.dev/owner=${owner}`, '--output', 'name'];
  t.is(await here.kubectl.must(...theirs), '');
  await here.kubectl.must('delete', 'patrolsync', 'thief');
});

test.serial('the operator may do what it does, and nothing beside', async (t) => {
  const account = `system:serviceaccount:${here.home.namespace}:operator`;
  for (const [may, ...words] of [
    ['yes', 'list', 'patrolsyncs.ranger-relay.dev'],
    ['yes', 'patch', 'patrolsyncs.ranger-relay.dev', '--subresource=status'],
    ['yes', 'create', 'jobs.batch'],
    ['yes', 'get', 'secrets'],
    ['no', 'list', 'secrets'],
    ['no', 'get', 'secrets', '--namespace=default'],
    ['no', 'create', 'jobs.batch', '--namespace=default'],
    ['no', 'list', 'patrolsyncs.ranger-relay.dev', '--all-namespaces'],
    ['no', 'patch', 'patrolsyncs.ranger-relay.dev'],
    ['no', 'delete', 'patrolsyncs.ranger-relay.dev'],
    ['no', 'create', 'pods'],
    ['no', 'delete', 'pods'],
    ['no', 'create', 'pods', '--subresource=exec'],
    ['no', 'patch', 'leases.coordination.k8s.io'],
    ['no', 'create', 'serviceaccounts', '--subresource=token'],
    ['no', 'get', 'persistentvolumeclaims'],
    ['no', 'patch', 'customresourcedefinitions.apiextensions.k8s.io'],
  ] as const)
    t.is(await answers(account, words), may, words.join(' '));
});

test.serial('the token of the site stands in its Secret and nowhere else', async (t) => {
  const kinds = 'patrolsyncs,patrolsyncrollbacks,jobs,pods,events,configmaps,leases';
  const told = await Promise.all([
    here.kubectl.must('get', kinds, '--output', 'yaml'),
    here.home.must('get', 'events,leases,pods', '--output', 'yaml'),
    here.home.must('logs', '--selector', 'app.kubernetes.io/name=operator', '--tail', '-1'),
    here.kubectl.must('logs', '--selector', 'app.kubernetes.io/managed-by=ranger-relay-operator', '--tail', '-1'),
  ]);
  t.true(told.join('').length > 20_000);
  t.false(told.join('').includes(here.harness.site.token));
});

/** A kubeconfig with a context `outside`: a token of the account that the pods have, and its namespace. */
const kubeconfigOf = async ({ node, home, harness }: Syncs): Promise<string> => {
  const file = join(harness.folder, 'outside.kubeconfig');
  copyFileSync(node.env['KUBECONFIG'] ?? '', file);
  const config = (...words: readonly string[]) => home.must('config', ...words, `--kubeconfig=${file}`);
  const token = (await home.must('create', 'token', 'operator')).trim();
  const cluster = await config('view', '--output=jsonpath={.clusters[0].name}');
  await config('set-credentials', 'operator', `--token=${token}`);
  await config('set-context', 'outside', `--cluster=${cluster}`, '--user=operator');
  return file;
};

test.serial(
  'an operator outside beside the pod does no harm: each sync runs once; it goes on when no pod is left',
  async (t) => {
    t.timeout(420_000);
    await here.clear();
    const cluster = ['--kubeconfig', await kubeconfigOf(here), '--context', 'outside'];
    const outside = start(['operator', ...cluster, '--namespace', here.home.namespace], {
      WATCH_NAMESPACE: here.kubectl.namespace,
      JOB_IMAGE: 'ranger-relay/sync-tool:0.1.0',
      JOB_IMAGE_PULL_POLICY: 'Never',
      HOST: '127.0.0.1',
      PORT: '0',
    });
    t.teardown(() => outside.end('SIGKILL'));
    await untilPrinted('it has started', outside, /"msg":"started"/, 60_000);
    await here.kubectl.apply(here.objectOf('both', { mode: 'apply', approve: 'auto' }));
    const { status } = await here.reaches('patrolsync', 'both', 'Applied');
    t.like(status, { lastRun: { outcome: 'done', attempt: 0 }, drift: { differences: 0 } });
    t.deepEqual(await here.commands(), ['plan', 'apply', 'verify']);
    t.deepEqual(inUse(here.harness), [2, 2, 6]);

    await here.home.must('scale', 'deployment/operator', '--replicas=0');
    await here.clear();
    await here.kubectl.apply(here.objectOf('outside', { mode: 'apply', approve: 'auto' }));
    const { status: last } = await here.reaches('patrolsync', 'outside', 'Applied');
    t.like(last, { lastRun: { outcome: 'done', attempt: 0 } });
    t.deepEqual(await here.commands(), ['plan', 'apply', 'verify']);
    t.is(await outside.end('SIGTERM'), 0, outside.output());
    t.false(outside.output().includes('"level":"error"'), outside.output());
    await here.home.must('scale', 'deployment/operator', '--replicas=1');
    const isThere = async (): Promise<boolean> => here.pod().then(isReady, () => false);
    await until('the pod is ready again', isThere, 90_000);
  },
);
