import type { ExecutionContext } from 'ava';
import type { JobStatus } from '../api/run-status.ts';
import { syncSpecSchema } from '../api/sync-spec.ts';
import type { SyncStatus } from '../api/sync-status.ts';
import { syncInputs } from '../decide/inputs.ts';
import type { KubeObject } from '../kube/object.ts';
import { syncsOf } from './cluster.ts';
import type { Harness } from './harness.ts';

interface Begun {
  readonly key: string;
  readonly wanted: JobStatus;
  readonly sync: KubeObject & { readonly status?: SyncStatus };
}

const wantedOf = ({ metadata }: KubeObject): JobStatus =>
  JSON.parse(metadata.annotations?.['ranger-relay.dev/job'] ?? '{}') as JobStatus;

const suspendedOf = (job: unknown): boolean | undefined =>
  (job as { spec?: { suspend?: boolean } } | undefined)?.spec?.suspend;

/** Watches every change of the cluster and holds the rules that must always be kept. */
export const watchInvariants = (t: ExecutionContext, harness: Harness): { readonly applies: () => number } => {
  const begun = new Map<string, Begun>();
  /** Each spec that an object had, by uid and generation. */
  const specs = new Map<string, unknown>();

  const onApply = (job: KubeObject): void => {
    const wanted = wantedOf(job);
    const owner = job.metadata.ownerReferences?.[0];
    const sync = harness.sync(owner?.name ?? '');
    const key = [owner?.uid, wanted.number].join(' ');
    t.false(begun.has(key), `plan ${wanted.planHash} is applied twice`);
    const { plan } = sync.status ?? {};
    const writesNothing = plan?.hash === wanted.planHash && plan?.writes === 0;
    const { data } = syncSpecSchema.safeParse(specs.get(`${owner?.uid} ${wanted.generation}`));
    t.true(
      writesNothing || data?.approve === 'auto' || data?.approve === wanted.planHash,
      'an apply without approval of its plan and generation',
    );
    t.is(sync.status?.job?.uid, job.metadata.uid, 'an apply that was not written down before');
    t.true(
      writesNothing || sync.status?.approval?.hashes.includes(wanted.planHash ?? ''),
      'an approval that was not written down as used',
    );
    begun.set(key, { key, wanted, sync });
  };

  const writingJobs = (): number =>
    harness
      .running()
      .filter(({ metadata }) =>
        ['apply', 'resume', 'undo'].includes(metadata.labels?.['ranger-relay.dev/command'] ?? ''),
      ).length;

  harness.server.store.onEntry(({ collection, before, after }) => {
    const object = after as unknown as KubeObject | undefined;
    if (collection === syncsOf && object)
      specs.set(`${object.metadata.uid} ${object.metadata.generation}`, object.spec);
    if (collection !== 'batch/v1/jobs' || !object) return;
    if (suspendedOf(before) === true && suspendedOf(after) === false) {
      if (object.metadata.labels?.['ranger-relay.dev/command'] === 'apply') onApply(object);
      t.true(writingJobs() <= 1, 'two Jobs write at once');
    }
    if (before === undefined) t.true(suspendedOf(after), 'a Job that may begin before it is written down');
  });

  return { applies: () => begun.size };
};

const conditionOf = (status: SyncStatus | undefined, type: string): string | undefined =>
  status?.conditions?.find((each) => each.type === type)?.status;

/** What holds whenever nothing changes any more: everything has ended, and a person is told what is so and what to do. */
export const checkSettled = (t: ExecutionContext, harness: Harness, name: string): void => {
  const { status, spec: raw } = harness.sync(name);
  const spec = syncSpecSchema.parse(raw);
  const ready = conditionOf(status, 'Ready') === 'True';
  t.is(harness.running().length, 0, 'a Job that nobody waits for');
  t.is(status?.observedGeneration, harness.sync(name).metadata.generation);
  t.is(status?.job === undefined || spec.suspend, true, 'a Job that is written down and does not go on');
  if (!ready) t.true((status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '').length > 20);
  if (ready && spec.mode === 'apply' && !spec.suspend) {
    t.is(status?.plan?.inputs, syncInputs(spec, 'plan'));
    t.is(status?.drift?.differences, 0);
    t.is(conditionOf(status, 'ApprovalRequired'), 'False');
  }
  t.false(ready && conditionOf(status, 'Stalled') === 'True');
};
