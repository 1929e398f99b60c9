import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { newSite, runTool } from '../test/tool.ts';
import type { Job, Pod } from '../kube/object.ts';
import { readSummary, viewJob, viewPod } from './read.ts';

const summary = runTool(newSite(), ['--dry-run', 'patrol-datamodel', '--plan-out=/output/a/plan.json'], 'ok');
const labels = { 'ranger-relay.dev/command': 'plan', 'ranger-relay.dev/owner': 'u1' };
const job = { metadata: { name: 'j', uid: 'u', resourceVersion: '1', labels } } as Job;
const pod = (status: unknown, more: object = {}) =>
  ({
    metadata: { name: 'p', labels: { ...labels, 'batch.kubernetes.io/job-name': 'j' }, ...more },
    status,
  }) as Pod;
const terminated = (message: string) => ({
  phase: 'Failed',
  containerStatuses: [{ state: { terminated: { message } } }],
});

test('the last words of a pod are read back as the tool wrote them', (t) => {
  t.deepEqual(viewJob(job, [pod(terminated(JSON.stringify(summary)))])?.summary, summary);
});

test('what is no summary counts as nothing heard', (t) => {
  const text = JSON.stringify(summary);
  for (const odd of [
    '',
    '{}',
    'null',
    text.slice(0, -1),
    `${text}${' '.repeat(5_000)}`,
    text.replace('"done"', '"fine"'),
  ])
    t.is(readSummary(odd), undefined, odd.slice(0, 40));
  t.is(readSummary(undefined), undefined);
  t.is(viewJob(job, [pod({ phase: 'Failed', reason: 'Evicted' })])?.summary, undefined);
});

testProp('no text of a pod breaks the reading', [fc.oneof(fc.string(), fc.json())], (t, text) => {
  t.notThrows(() => readSummary(text));
});

test('the words of another Job’s pod are not this one’s', (t) => {
  const other = pod(terminated(JSON.stringify(summary)), { labels: { ...labels, 'job-name': 'other' } });
  t.is(viewJob(job, [other])?.summary, undefined);
});

const ended = (conditions: unknown) => viewJob({ ...job, status: { conditions } } as Job, [])?.ended;

test('a Job has ended when it is said to, well or not', (t) => {
  t.true(ended([{ type: 'Failed', status: 'True' }]));
  t.true(ended([{ type: 'Complete', status: 'True' }]));
  for (const not of [undefined, [], [{ type: 'Failed', status: 'False' }], [{ type: 'Suspended', status: 'True' }]])
    t.false(ended(not));
});

test('what is none of ours is not looked at', (t) => {
  t.is(viewJob({ ...job, metadata: { ...job.metadata, labels: { 'ranger-relay.dev/command': 'rm' } } }, []), undefined);
  t.is(viewPod({ metadata: { name: 'p' }, status: {} }), undefined);
});

test('a pod lives until it has succeeded or failed, and says why it has not begun', (t) => {
  t.is(viewPod(pod({ phase: 'Succeeded' })), undefined);
  t.is(viewPod(pod({ phase: 'Failed' })), undefined);
  t.like(viewPod(pod({ phase: 'Running' })), { name: 'p', job: 'j', waits: undefined, dueToEnd: undefined });
  const ending = viewPod(pod({ phase: 'Running' }, { deletionTimestamp: new Date('2026-01-02T00:00:00Z') }));
  t.is(ending?.dueToEnd, Date.UTC(2026, 0, 2));
  const waiting = { phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'ErrImagePull' } } }] };
  t.is(viewPod(pod(waiting))?.waits, 'ErrImagePull');
  const unplaced = [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }];
  t.is(viewPod(pod({ phase: 'Pending', conditions: unplaced }))?.waits, '0/3 nodes are available');
  t.is(viewPod(pod({ phase: 'Pending' }))?.waits, 'its pod is Pending');
  t.like(viewPod(pod(undefined)), { job: 'j' });
});
