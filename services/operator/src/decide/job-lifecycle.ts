import type { SyncSummary } from '@ranger-relay/contracts';
import type { Command, JobStatus } from '../api/run-status.ts';
import { type Decision, stalled, working, type Wanted } from './decision.ts';
import type { JobView, LivePod, Observed } from './observed.ts';

/** A Job has ended: its result must be recorded. */
export interface Ended {
  readonly job: JobStatus;
  readonly summary: SyncSummary | undefined;
}

/** The object must act on a Job or wait for it. */
export interface JobStep extends Omit<Decision<unknown>, 'facts' | 'plan'> {
  /** Job to record as the current one. */
  readonly record?: JobStatus;
}

/** Rules of an object for its existing Jobs. */
export interface JobLifecycleRules {
  /** The Job is no longer wanted; applies to a Job that has not started or only reads. */
  readonly stale: (job: Wanted) => boolean;
  /** No Job may start. */
  readonly suspended: boolean;
}

/** A pod overdue by this long does not end by itself: usually its node is gone, ms. */
const stuckMs = 900_000;
const writing: ReadonlySet<Command> = new Set(['apply', 'resume', 'undo']);
const requeueMs = 30_000;
/** A Job that waits longer than this for its image, volumes or a node needs a person, ms. */
const waitsLongMs = 300_000;

/** Whether a command can write to the site. */
export const writes = (command: Command): boolean => writing.has(command);

const isStuck = ({ dueToEnd }: LivePod, now: number): boolean => dueToEnd !== undefined && now - dueToEnd > stuckMs;

const stuck = (namespace: string, job: JobStatus, pod: LivePod): JobStep => ({
  step: 'WaitPods',
  status: stalled(
    'PodStuck',
    `Pod ${pod.name} of Job ${job.name} is still terminating after its grace period and may write, so the operator waits. Check whether its node is gone for good: kubectl get nodes. If it is: kubectl delete pod ${pod.name} -n ${namespace} --force`,
  ),
  requeueAfterMs: requeueMs,
});

const waitPods = (namespace: string, job: JobStatus, pod: LivePod): JobStep => ({
  step: 'WaitPods',
  status: working(
    'PodEnding',
    `Job ${job.name} has finished, but its pod ${pod.name} still exists and may write; the next step waits for it. If its node is gone for good: kubectl delete pod ${pod.name} -n ${namespace} --force`,
  ),
  requeueAfterMs: requeueMs,
});

const waiting = (
  { namespace, now }: Pick<Observed<unknown, unknown>, 'namespace' | 'now'>,
  job: JobStatus,
  { name, waits }: LivePod,
): JobStep => {
  const message = `Job ${job.name} (${job.command}) has not started: ${waits}; for details: kubectl describe pod ${name} -n ${namespace}`;
  const long = now - Date.parse(job.since) > waitsLongMs;
  return {
    step: 'WaitJob',
    status: long ? stalled('JobWaiting', message) : working('JobWaiting', message),
    requeueAfterMs: requeueMs,
  };
};

const running = (namespace: string, job: JobStatus, pod?: LivePod): JobStep => ({
  step: 'WaitJob',
  status: working(
    'JobRunning',
    `Job ${job.name} (${job.command}) is running; its log: kubectl logs job/${job.name} -n ${namespace}`,
  ),
  ...(pod?.dueToEnd === undefined ? {} : { requeueAfterMs: requeueMs }),
});

const remove = (job: JobView): JobStep => ({
  step: 'RemoveJob',
  status: working('JobOutdated', `Job ${job.name} is deleted because its inputs have changed`),
  action: { kind: 'remove', job },
});

const held = (job: JobStatus): JobStep => ({
  step: 'Suspended',
  status: working('Suspended', `Job ${job.name} is suspended: spec.suspend is true; set it to false to continue`),
});

const release = (job: JobView): JobStep => ({
  step: 'ReleaseJob',
  status: working('JobStarting', `Job ${job.name} is started`),
  action: { kind: 'release', job },
});

/** Action for the recorded Job, if there is one: nothing else happens until its end is recorded. */
export const nextJobAction = (
  { namespace, jobs, pods, now }: Pick<Observed<unknown, unknown>, 'namespace' | 'jobs' | 'pods' | 'now'>,
  job: JobStatus | undefined,
  { stale, suspended }: JobLifecycleRules,
): Ended | JobStep | undefined => {
  if (!job) return undefined;
  const present = jobs.find(({ uid }) => uid === job.uid);
  const pod = pods.find((each) => each.job === job.name);
  if (pod && isStuck(pod, now)) return stuck(namespace, job, pod);
  if (!present || present.ended) return pod ? waitPods(namespace, job, pod) : { job, summary: present?.summary };
  if (present.suspended) {
    if (stale(job)) return remove(present);
    return suspended ? held(job) : release(present);
  }
  if (!writes(job.command) && stale(job)) return remove(present);
  return pod?.waits === undefined ? running(namespace, job, pod) : waiting({ namespace, now }, job, pod);
};

const adoptJob = (namespace: string, job: JobView, wanted: Wanted, now: number): JobStep => ({
  step: 'RecordJob',
  status: running(namespace, { ...wanted, uid: job.uid, since: '' }).status,
  record: { ...wanted, uid: job.uid, since: new Date(now).toISOString() },
});

/**
 * Action for Jobs that are neither recorded nor wanted: one that may already write is adopted, the others are deleted. It
 * runs before any Job starts.
 * @param name of the Job that is wanted
 */
export const orphanJob = (
  { namespace, jobs, now }: Pick<Observed<unknown, unknown>, 'namespace' | 'jobs' | 'now'>,
  name?: string,
): JobStep | undefined => {
  const left = jobs.find((job) => !job.ended && job.name !== name);
  if (!left) return undefined;
  return left.wanted && !left.suspended && writes(left.command)
    ? adoptJob(namespace, left, left.wanted, now)
    : remove(left);
};

/**
 * Creates a wanted Job in three steps: create it suspended, record it, resume it. A Job that started is therefore always recorded,
 * so that it is never created a second time.
 */
export const ensureJob = (
  { jobs, secretProblem, now }: Pick<Observed<unknown, unknown>, 'jobs' | 'secretProblem' | 'now'>,
  wanted: Wanted,
  why: string,
): JobStep => {
  const made = jobs.find(({ name }) => name === wanted.name);
  const statusUpdate = working('JobStarting', why);
  if (made) {
    const record = { ...wanted, uid: made.uid, since: new Date(now).toISOString() };
    return { step: 'RecordJob', status: statusUpdate, record };
  }
  if (secretProblem !== undefined)
    return {
      step: 'WaitSecret',
      status: stalled(secretProblem.reason, `${secretProblem.message}; the next Job waits for it`),
      requeueAfterMs: requeueMs,
    };
  return {
    step: 'CreateJob',
    status: statusUpdate,
    action: { kind: 'create', job: wanted },
    requeueAfterMs: 5_000,
  };
};
