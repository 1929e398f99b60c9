import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { runRecordSchema } from '@ranger-relay/contracts';
import { sessionsOf } from '../src/harness/console-blocks.ts';
import { inUse } from '../src/harness/sync.ts';
import { until } from '../src/harness/until.ts';
import { chartsFolder } from './charts/render.ts';
import { openNode } from './harness/node.ts';
import { openPatrols, type Patrols } from './harness/patrols.ts';
import { processOf } from './harness/pods.ts';
import { repeat } from './harness/sessions.ts';
import { makeToken } from './harness/syncs.ts';
import { fillVolume } from './harness/volumes.ts';

let here: Patrols;

test.before(async (t) => {
  here = await openPatrols(await openNode(t), 'patrol-jobs');
});
test.after.always(() => here?.remove());

const readme = readFileSync(join(chartsFolder, 'patrol-sync/README.md'), 'utf8');
const sections = ['Install', 'Plan, run, read the checklist', 'Copy all files', 'Verify and undo'];
const steps = sections.flatMap((heading) => sessionsOf(readme, heading).flat());

const namesOn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .toSorted();

/** Whether a person's copies are byte for byte what lies on the volume. */
const copied = async (names: readonly string[]): Promise<boolean> => {
  const volume = await here.volume();
  return names.every((name) => readFileSync(join(here.desk, name)).equals(readFileSync(join(volume, name))));
};

test.serial('the README, typed as it stands: plan, run, copies byte for byte, verify, undo', async (t) => {
  t.timeout(900_000);
  t.true(steps.length > 20);
  for (const step of steps) {
    await repeat(t, here, step, 'site.example');
    if (step.command.endsWith('> checklist.md')) t.true(await copied(['checklist.md']));
    if (step.command.includes('tar -x')) t.true(await copied(namesOn(await here.volume())));
    if (step.command.endsWith('logs job/plan')) t.deepEqual(here.harness.site.log.writes(), []);
  }
  t.deepEqual(inUse(here.harness), [0, 0, 0]);
});

/** Starts a Job that writes slowly, and waits until it does: a pod that has not begun would leave no word. */
const startWriting = async (name: string, latencyMs: number, writes = 1): Promise<void> => {
  here.harness.site.set({ latency_ms: latencyMs });
  const before = here.harness.site.log.writes().length;
  await here.start('', name);
  await until('writes are under way', () => here.harness.site.log.writes().length >= before + writes, 120_000);
};

const recordOn = async (): Promise<ReturnType<typeof runRecordSchema.parse>> => {
  const volume = await here.volume();
  const name = namesOn(volume).findLast((each) => /^patrol-datamodel-run-\w+\.json$/.test(each)) ?? '';
  return runRecordSchema.parse(JSON.parse(readFileSync(join(volume, name), 'utf8')));
};

test.serial('a second run writes nothing and leaves the record of the first', async (t) => {
  t.timeout(300_000);
  await here.clear();
  const first = await here.run('', 'first');
  t.true(first.complete, first.log);
  t.like(first.summary(), { exit: 0, reason: null, people_deactivated: 0, checklist: 'checklist.md' });
  t.is(first.summary().plan_hash, (await recordOn()).plan_hash);
  const written = here.harness.site.log.writes().length;
  const second = await here.run('', 'second');
  t.like(second.summary(), { exit: 0, record: null, counts: { created: 0, updated: 0 } });
  t.is(here.harness.site.log.writes().length, written);
});

test.serial('a run that fails in a step says which and why, in at most 4096 bytes', async (t) => {
  t.timeout(300_000);
  await here.clear();
  here.harness.site.faults.set({ fault: 'status', status: 403, method: 'POST', path: 'subjects/' });
  const failed = await here.run('', 'failing');
  t.false(failed.complete);
  t.is(failed.exitCode, 1);
  t.true(Buffer.byteLength(failed.message) <= 4_096);
  t.like(failed.summary(), { outcome: 'failed', reason: 'step_failed' });
  t.deepEqual(failed.summary().failures, [{ step: 'subjects', reason: 'site_forbidden' }]);
  here.harness.site.faults.clear();
  const resumed = await here.run('-resume', 'fixed');
  t.like(resumed.summary(), { exit: 0 });
  t.like(await recordOn(), { status: 'complete', continues: failed.summary().record });
  t.is(here.harness.site.state().subjects.length, 3);
});

/** Runs a Job that removes the lock of a pod that is gone. */
const runUnlocked = async (suffix: string, name: string): ReturnType<Patrols['run']> => {
  await here.start(suffix, name, ({ spec }) => void spec?.template.spec?.containers[0]?.args?.push('--force-unlock'));
  return here.ended(name);
};

test.serial(
  'a run that is killed leaves no message and its lock; a Job that resumes it removes that by force, and finishes it',
  async (t) => {
    t.timeout(400_000);
    await here.clear();
    await startWriting('killed', 1_500, 5);
    process.kill(processOf(await here.podOf('killed')) ?? 0, 'SIGKILL');
    const killed = await here.ended('killed');
    t.false(killed.complete);
    t.is(killed.exitCode, 137);
    t.is(killed.message, '');
    here.harness.site.set({ latency_ms: 0 });
    t.like((await here.run('-resume', 'locked')).summary(), { reason: 'locked' });
    const resumed = await runUnlocked('-resume', 'resumed');
    t.like(resumed.summary(), { command: 'resume', exit: 0 });
    t.is((await recordOn()).status, 'complete');
    t.is(here.harness.site.state().subjects.length, 3);
    t.like((await here.run('-verify', 'verified')).summary(), { exit: 0, counts: { differences: 0 } });
  },
);

test.serial('a pod that is deleted with grace 0 in the middle is resumed, and nobody is made twice', async (t) => {
  t.timeout(400_000);
  await here.clear();
  await startWriting('evicted', 1_500, 5);
  await here.kubectl.must('delete', 'pods', '--selector=job-name=evicted', '--grace-period=0', '--force');
  await here.kubectl.must('wait', '--for=condition=failed', '--timeout=60s', 'job/evicted');
  here.harness.site.set({ latency_ms: 0 });
  t.like((await runUnlocked('-resume', 'resumed')).summary(), { exit: 0 });
  const { subjects, types, choices } = here.harness.site.state();
  t.deepEqual([subjects.length, types.length, choices.length], [3, 2, 7]);
});

test.serial('of two Jobs at once the second ends as locked, and names the pod of the first', async (t) => {
  t.timeout(300_000);
  await here.clear();
  await startWriting('one', 3_000);
  const other = await here.run('', 'other');
  t.like(other.summary(), { outcome: 'failed', reason: 'locked' });
  t.true(other.summary().message?.includes((await here.podOf('one')).metadata.name));
  here.harness.site.set({ latency_ms: 0 });
  t.true((await here.ended('one')).complete);
});

test.serial('a run whose time is over ends as when asked to, and its message survives', async (t) => {
  t.timeout(300_000);
  await here.clear();
  await startWriting('late', 2_500);
  const { name } = (await here.podOf('late')).metadata;
  await here.kubectl.must('patch', 'pod', name, '--patch={"spec":{"activeDeadlineSeconds":1}}');
  const late = await here.ended('late');
  t.is(late.reason, 'DeadlineExceeded');
  t.like(late.summary(), { outcome: 'interrupted', exit: 130, reason: 'interrupted' });
  here.harness.site.set({ latency_ms: 0 });
  t.like((await here.run('', 'after')).summary(), { exit: 0 });
  t.is(here.harness.site.state().subjects.length, 3);
});

test.serial('a wrong token is named as such; nothing was written', async (t) => {
  t.timeout(300_000);
  await here.clear();
  const before = here.harness.site.log.writes().length;
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'patrol-sync' } };
  await here.kubectl.apply({ ...secret, stringData: { token: 'canary-1f0e' } });
  const refused = await here.run('', 'refused');
  t.like(refused.summary(), { exit: 1, reason: 'site_unauthorized', record: null });
  t.false(`${refused.message}${refused.log}`.includes('canary-1f0e'));
  t.is(here.harness.site.log.writes().length, before);
  await here.kubectl.apply({ ...secret, stringData: { token: here.harness.site.token } });
});

test.serial(
  'a Secret that is missing is named by the pod’s events, and the Job goes on once it is there',
  async (t) => {
    t.timeout(300_000);
    await here.clear();
    await here.kubectl.must('delete', 'secret', 'patrol-sync');
    await here.start('-doctor', 'waiting');
    const events = (): Promise<string> =>
      here.kubectl.must('get', 'events', '--output', 'jsonpath={.items[*].message}');
    const isNamed = async (): Promise<boolean> => (await events()).includes('secret "patrol-sync" not found');
    await until('an event names it', isNamed, 120_000, 500);
    await makeToken(here);
    t.true((await here.ended('waiting')).complete);
  },
);

test.serial('a call with an option that the tool does not know ends as such', async (t) => {
  t.timeout(300_000);
  await here.clear();
  await here.start('', 'wrong', (job) => job.spec?.template.spec?.containers[0]?.args?.push('--unknown'));
  const wrong = await here.ended('wrong');
  t.is(wrong.exitCode, 2);
  t.like(wrong.summary(), { outcome: 'usage', reason: 'usage' });
});

test.serial('a bundle on a volume works as one in a ConfigMap', async (t) => {
  t.timeout(300_000);
  await here.clear();
  await here.kubectl.apply({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'bundles' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  const bound = ['--for=jsonpath={.status.phase}=Bound', '--timeout=60s'];
  await here.kubectl.must('wait', ...bound, 'persistentvolumeclaim/bundles');
  await fillVolume(here.kubectl, 'bundles', 'season', here.harness.bundle);
  const bundle = { configMap: '', claim: { name: 'bundles', path: 'season' } };
  await here.helm.must(['upgrade', 'patrol-sync', join(chartsFolder, 'patrol-sync'), '--reuse-values'], { bundle });
  t.like((await here.run('-plan', 'plan')).summary(), { dry_run: true, exit: 0, plan: 'plan.json' });
  const applied = await here.run('-apply', 'apply');
  t.like(applied.summary(), { command: 'apply', exit: 0, plan_hash: (await recordOn()).plan_hash });
  t.is((await here.run('-verify', 'verify')).exitCode, 0);
});
