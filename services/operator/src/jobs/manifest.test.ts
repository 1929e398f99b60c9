import test from 'ava';
import { patrolSyncs, rollbacks } from '../api/group.ts';
import { rollbackSpecSchema } from '../api/rollback.ts';
import type { Command } from '../api/run-status.ts';
import { syncSpecSchema, type SyncSpec } from '../api/sync-spec.ts';
import { jobName } from '../decide/names.ts';
import type { Wanted } from '../decide/decision.ts';
import { argumentsOf } from './command.ts';
import { jobOf } from './manifest.ts';
import { viewJob } from './read.ts';

const spec = (more: object = {}): SyncSpec =>
  syncSpecSchema.parse({
    bundle: { claim: { name: 'bundles', path: 'north/2026' } },
    output: { claimName: 'output' },
    site: { endpoint: 'site.example', token: { name: 'site' } },
    ...more,
  });

const job = (command: Command): Wanted => ({
  name: `north-${command}-1`,
  command,
  generation: 3,
  run: '',
  number: 7,
  attempt: 0,
  ...(command === 'apply' || command === 'resume' ? { planHash: 'a'.repeat(64) } : {}),
  ...(command === 'undo' ? { planHash: 'b'.repeat(64) } : {}),
});

const settings = {
  image: 'registry.example/sync-tool@sha256:1',
  pullPolicy: 'IfNotPresent',
  pullSecrets: ['pull'],
  serviceAccount: 'jobs',
  memoryMiB: 512,
  deadlineS: 7_200,
  pod: { env: [], runAsUser: 65_532 },
};

const owner = { metadata: { name: 'north', namespace: 'park', uid: 'u1' } };
const made = (command: Command, more: object = {}) =>
  jobOf({
    job: job(command),
    sync: spec(more),
    folder: 'north-1/7',
    resource: patrolSyncs,
    owner,
    settings,
  });

const args = (command: Command, more: object = {}) =>
  argumentsOf({ sync: spec(more), job: job(command), folder: 'f/7' }).join(' ');

test('each command gets the arguments that the tool knows', (t) => {
  const site = '--site-endpoint=site.example --site-token-file=/etc/patrol-sync/token --patience=900';
  const checklist = '--checklist=/output/f/7/checklist.md';
  t.is(
    args('plan', { language: 'de', word: 'w', replaceSegmentSchema: true, maxDeactivations: 7 }),
    `--dry-run patrol-datamodel --bundle=/bundle/north/2026 --ext-language=de --ext-word=w --replace-segment-schema --plan-out=/output/f/7/plan.json ${checklist} --max-deactivations=7 ${site}`,
  );
  t.is(
    args('apply', { maxDeactivations: 0 }),
    `apply --plan=/output/f/7/plan.json --approved=${'a'.repeat(64)} ${checklist} --max-deactivations=0 ${site}`,
  );
  t.is(
    args('resume'),
    `resume --plan=/output/f/7/plan.json --approved=${'a'.repeat(64)} --force-unlock ${site} /output/f/7`,
  );
  t.is(
    args('verify', { bundle: { configMap: 'b' }, word: 'w' }),
    `verify --bundle=/bundle --ext-word=w ${checklist} ${site}`,
  );
});

test('a dollar reaches the tool as somebody wrote it: the kubelet finds nothing to expand', (t) => {
  const { args } = made('plan', { rosterGroup: '$(SUMMARY_FILE) $$x' }).spec.template.spec.containers[0] ?? {};
  t.true(args?.includes('--roster-group=$$(SUMMARY_FILE) $$$$x'));
});

test('what is deleted is in the folder of the object alone, and what somebody names stays', (t) => {
  const spared = ['f/3/r.json', 'f/3/s.json', 'other/4/r.json', 'r.json'];
  const args = argumentsOf({ sync: spec({ keepRuns: 5 }), job: job('prune'), folder: 'f/7', spared });
  t.deepEqual(args, ['files', 'prune', '--keep=5', '--spare=3', '/output/f']);
  const { volumes } = made('prune', { keepRuns: 5 }).spec.template.spec;
  t.deepEqual(
    volumes?.map(({ name }) => name),
    ['tmp', 'output'],
  );
});

test('a record that is known is resumed, and no other', (t) => {
  const args = argumentsOf({ sync: spec(), job: job('resume'), folder: 'f/7', record: 'f/7/r.json' });
  t.is(args.at(-1), '/output/f/7/r.json');
});

test('an undo names its records; only its plan is dry', (t) => {
  const undo = rollbackSpecSchema.parse({
    syncRef: { name: 'north' },
    records: ['f/7/r.json'],
    force: ['choice'],
    deleteSubjects: true,
  });
  const args = (command: Command) => argumentsOf({ sync: spec(), job: job(command), folder: 'f', undo }).join(' ');
  t.regex(
    args('undo'),
    /^undo --approved=b{64} --delete-subjects --force=choice --force-unlock .* \/output\/f\/7\/r\.json$/,
  );
  t.regex(argumentsOf({ sync: spec({ word: 'w' }), job: job('undo'), folder: 'f', undo }).join(' '), / --ext-word=w /);
  t.regex(args('undo-plan'), /^--dry-run undo --delete-subjects --force=choice --site-endpoint/);
});

test('pods keep to the restricted standard and have no token for the API server', (t) => {
  for (const command of ['plan', 'apply', 'resume', 'verify', 'prune'] as const) {
    const pod = made(command).spec.template.spec;
    t.like(pod, {
      automountServiceAccountToken: false,
      restartPolicy: 'Never',
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    t.like(pod.containers[0], {
      terminationMessagePath: '/dev/termination-log',
      env: [{ name: 'SUMMARY_FILE', value: '/dev/termination-log' }],
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
    });
  }
});

test('a Job begins nothing by itself, is never tried again, and goes with its object', (t) => {
  const { metadata, spec } = made('apply', { jobRetention: '2h' });
  t.like(spec, { suspend: true, backoffLimit: 0, ttlSecondsAfterFinished: 7_200 });
  t.like(metadata.ownerReferences, [{ kind: 'PatrolSync', name: 'north', uid: 'u1', controller: true }]);
  t.true(Number(spec.activeDeadlineSeconds) > Number(spec.template.spec.activeDeadlineSeconds));
});

test('a Job stays until its end was seen, however soon it is to go', (t) => {
  for (const jobRetention of ['0s', '59m']) t.is(made('apply', { jobRetention }).spec.ttlSecondsAfterFinished, 3_600);
});

const stays = (command: Command, more: object) => made(command, more).spec.ttlSecondsAfterFinished;

test('Jobs that repeat themselves do not pile up: each goes when the one after the next has come', (t) => {
  t.is(stays('verify', {}), 172_800);
  t.is(stays('verify', { driftCheckInterval: '1s' }), 3_600);
  t.is(stays('verify', { jobRetention: '24h' }), 86_400);
  t.is(stays('verify', { driftCheckInterval: '0s' }), 2_592_000);
  t.is(stays('plan', { mode: 'plan' }), 172_800);
  for (const command of ['plan', 'apply', 'resume', 'prune'] as const)
    t.is(stays(command, { mode: 'apply' }), 2_592_000, command);
});

test('pods have what the installation gives them, and keep what the operator needs', (t) => {
  const more = {
    labels: { team: 'patrols', 'ranger-relay.dev/command': 'other' },
    annotations: { 'sidecar.istio.io/inject': 'false' },
    nodeSelector: { disk: 'fast' },
    tolerations: [{ key: 'jobs', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    priorityClassName: 'low',
    env: [{ name: 'HTTPS_PROXY', value: 'http://proxy.example:3128' }],
    runAsUser: null,
  };
  const parts = { job: job('plan'), sync: spec(), folder: 'f/7', resource: patrolSyncs, owner };
  const manifest = jobOf({ ...parts, settings: { ...settings, pod: more } });
  const { metadata, spec: pod } = manifest.spec.template;
  t.like(metadata, {
    labels: { team: 'patrols', 'ranger-relay.dev/command': 'plan' },
    annotations: { 'sidecar.istio.io/inject': 'false', 'ranger-relay.dev/for': 'PatrolSync/north' },
  });
  const { labels: _l, annotations: _a, env, runAsUser: _u, ...placed } = more;
  t.like(pod, placed);
  t.deepEqual(pod.containers[0]?.env, [...env, { name: 'SUMMARY_FILE', value: '/dev/termination-log' }]);
  for (const name of ['runAsUser', 'runAsGroup', 'fsGroup']) t.false(name in (pod.securityContext as object));
  t.like(made('plan').spec.template.spec.securityContext, { runAsUser: 65_532, fsGroup: 65_532 });
});

test('the token reaches a pod as a file, never as an argument or a variable', (t) => {
  const text = JSON.stringify(made('apply'));
  t.true(text.includes('"secret":{"name":"site","items":[{"key":"token","path":"token"}]}'));
  t.false(text.includes('SITE_TOKEN'));
});

test('a bundle is only read; on the volume of the output it is mounted in one way', (t) => {
  const [container] = made('plan').spec.template.spec.containers;
  t.true(container?.volumeMounts?.find(({ name }) => name === 'bundle')?.readOnly);
  const same = made('plan', { bundle: { claim: { name: 'output' } } }).spec.template.spec.volumes;
  t.deepEqual(
    same?.find(({ name }) => name === 'bundle'),
    { name: 'bundle', persistentVolumeClaim: { claimName: 'output' } } as never,
  );
  t.false(made('apply').spec.template.spec.volumes?.some(({ name }) => name === 'bundle'));
});

test('the name of a Job says what it does: the same wish has the same name, another one another', (t) => {
  const long = 'a'.repeat(200);
  const name = (...identity: readonly (string | number)[]) => jobName(long, 'apply', ...identity);
  t.is(name('u', 1, 'r', 'h'), name('u', 1, 'r', 'h'));
  const others = [
    name('u', 2, 'r', 'h'),
    name('u', 1, 'r', 'g'),
    name('v', 1, 'r', 'h'),
    name('u', 1, 'rh', ''),
    jobName(long, 'plan', 'u', 1, 'r', 'h'),
  ];
  t.is(new Set([name('u', 1, 'r', 'h'), ...others]).size, 6);
  for (const each of others) t.regex(each, /^[a-z0-9]([-a-z0-9]{0,55}[a-z0-9])$/);
  t.regex(jobName('a.b-', 'undo-plan', 1), /^a-b-undo-plan-[0-9a-f]{12}$/);
});

test('a Job of a rollback belongs to it', (t) => {
  const undo = rollbackSpecSchema.parse({ syncRef: { name: 'north' }, records: ['f/7/r.json'] });
  const made = jobOf({ job: job('undo'), sync: spec(), folder: '', undo, resource: rollbacks, owner, settings });
  t.is(made.metadata.annotations['ranger-relay.dev/for'], 'PatrolSyncRollback/north');
});

test('what a Job was made for is read back from it', (t) => {
  const made = jobOf({ job: job('apply'), sync: spec(), folder: 'f', resource: patrolSyncs, owner, settings });
  const stored = { ...made, metadata: { ...made.metadata, uid: 'j1', resourceVersion: '5' } };
  t.like(viewJob(stored, []), {
    command: 'apply',
    suspended: true,
    ended: false,
    wanted: job('apply'),
    summary: undefined,
  });
});
