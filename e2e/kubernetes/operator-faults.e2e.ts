import test, { type ExecutionContext } from 'ava';
import { atMost } from '../src/bench/table.ts';
import { until } from '../src/harness/until.ts';
import { inUse } from '../src/harness/sync.ts';
import { openNode } from './harness/node.ts';
import { isReady, podsOf } from './harness/pods.ts';
import { report } from './harness/report.ts';
import { definitions, makeToken, openSyncs, type Syncs } from './harness/syncs.ts';

let here: Syncs;

test.before(async (t) => {
  here = await openSyncs(await openNode(t), 'sync-faults');
  await here.install();
});
test.after.always(() => here?.remove());

const kill = (pod: string): Promise<string> => here.home.must('delete', 'pod', pod, '--grace-period=0', '--force');

/** Another pod is ready than the one from before, so many seconds after `began` at most. */
const assertReplaced = async (
  t: ExecutionContext,
  what: string,
  { from, began, withinS }: { readonly from: string; readonly began: number; readonly withinS: number },
): Promise<void> => {
  const isOther = async (): Promise<boolean> =>
    here.pod().then(
      (pod) => pod.metadata.name !== from && isReady(pod),
      () => false,
    );
  await until(`another pod than ${from} is ready`, isOther, 90_000, 200);
  const figure = atMost(`operator: ${what} to next pod ready`, 's', (performance.now() - began) / 1_000, withinS);
  report(t.log, [figure]);
  t.true(figure.holds);
};

test.serial('the pod is killed, or asked to end: another one takes its place', async (t) => {
  t.timeout(240_000);
  for (const [what, end] of [
    ['killed', kill],
    ['asked to end', (pod: string) => here.home.must('delete', 'pod', pod, '--wait=false')],
  ] as const) {
    const { metadata } = await here.pod();
    const began = performance.now();
    await end(metadata.name);
    await assertReplaced(t, what, { from: metadata.name, began, withinS: 30 });
  }
});

test.serial('the operator is killed while a run writes: it ends as if nothing had been, applied once', async (t) => {
  t.timeout(300_000);
  here.harness.site.set({ latency_ms: 400 });
  await here.kubectl.apply(here.objectOf('north', { mode: 'apply', approve: 'auto' }));
  await until('writes are under way', () => here.harness.site.log.writes().length > 2, 120_000);
  for (const { metadata } of await podsOf(here.home, 'operator')) await kill(metadata.name);
  here.harness.site.set({ latency_ms: 0 });
  const { status } = await here.reaches('patrolsync', 'north', 'Applied');
  t.like(status, { lastRun: { outcome: 'done', attempt: 0 }, drift: { differences: 0 } });
  t.deepEqual(await here.commands(), ['plan', 'apply', 'verify']);
  t.deepEqual(inUse(here.harness), [2, 2, 6]);
});

test.serial('the Job that writes is deleted by hand: the run is resumed, never applied again', async (t) => {
  t.timeout(300_000);
  await here.clear();
  here.harness.site.set({ latency_ms: 400 });
  const before = here.harness.site.log.writes().length;
  await here.kubectl.apply(here.objectOf('north', { mode: 'apply', approve: 'auto' }));
  await until('writes are under way', () => here.harness.site.log.writes().length > before + 2, 120_000);
  await here.kubectl.must('delete', 'job', '--selector=ranger-relay.dev/command=apply', '--wait=false');
  here.harness.site.set({ latency_ms: 0 });
  const { status } = await here.reaches('patrolsync', 'north', 'Applied');
  t.like(status, { lastRun: { outcome: 'done', attempt: 1 } });
  t.deepEqual(await here.commands(), ['plan', 'resume', 'verify']);
  t.deepEqual(inUse(here.harness), [2, 2, 6]);
});

test.serial('a Secret that is missing is named, and all goes on once it is there', async (t) => {
  t.timeout(300_000);
  await here.clear();
  await here.kubectl.must('delete', 'secret', 'patrol-sync');
  await here.kubectl.apply(here.objectOf('north'));
  await here.reaches('patrolsync', 'north', 'SecretMissing');
  t.deepEqual(await here.commands(), ['']);
  await makeToken(here);
  const allow = `ranger-relay.dev/site-endpoint=${here.harness.site.url}`;
  await here.kubectl.must('annotate', 'secret', 'patrol-sync', allow);
  await here.reaches('patrolsync', 'north', 'Planned');
});

test.serial('the chart goes and comes back: definitions, objects and what is known of them stay', async (t) => {
  t.timeout(300_000);
  const before = await here.get('patrolsync', 'north');
  await here.helm.must(['uninstall', 'operator', '--wait']);
  await here.kubectl.must('get', 'customresourcedefinitions', ...definitions);
  t.deepEqual((await here.get('patrolsync', 'north')).status, before.status);
  await here.install();
  await here.change('patrolsync', 'north', { subjectNameSuffix: true });
  const { metadata } = await here.reaches('patrolsync', 'north', 'Planned');
  t.is(metadata.uid, before.metadata.uid);
});
