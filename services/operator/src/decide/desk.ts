import type { SyncSummary } from '@ranger-relay/contracts';
import type { Command, JobStatus } from '../api/run-status.ts';
import { stalled, working, type Act, type Say, type Wanted } from './decision.ts';
import type { JobView, LivePod, Observed } from './observed.ts';
import type { StepName } from './steps.ts';

/** A Job has ended: what became of it is to be written down. */
export interface Ended {
  readonly kind: 'ended';
  readonly job: JobStatus;
  readonly summary: SyncSummary | undefined;
}

/** Something is to be done about a Job, or waited for. */
export interface Doing {
  readonly kind: 'doing';
  readonly step: StepName;
  readonly say: Say;
  readonly act?: Act;
  readonly againMs?: number;
  /** To be written down as the one under way. */
  readonly record?: JobStatus;
}

/** What the object wants of the Jobs that it has. */
export interface DeskRules {
  /** The Job is not wanted any more as long as it has not begun, or only looks. */
  readonly stale: (job: Wanted) => boolean;
  /** Nothing may begin. */
  readonly suspended: boolean;
}

/** A pod that is so long overdue does not end by itself: as a rule its node is gone, ms. */
const stuckMs = 900_000;
const writing: ReadonlySet<Command> = new Set(['apply', 'resume', 'undo']);
const lookAgainMs = 30_000;
/** Image, volumes and a place are had within so long, or somebody has to see to it, ms. */
const waitsLongMs = 300_000;

/** Whether a command can write to the site. */
export const writes = (command: Command): boolean => writing.has(command);

const podsOf = (pods: readonly LivePod[], name: string): LivePod | undefined => pods.find(({ job }) => job === name);

const isStuck = ({ dueToEnd }: LivePod, now: number): boolean => dueToEnd !== undefined && now - dueToEnd > stuckMs;

const stuck = (namespace: string, job: JobStatus, pod: LivePod): Doing => ({
  kind: 'doing',
  step: 'WaitPods',
  say: stalled(
    'PodStuck',
    `Pod ${pod.name} of Job ${job.name} was asked to end long ago and is still there; it may write, so nothing goes on. Look whether its node is gone for good: kubectl get nodes. If it is: kubectl delete pod ${pod.name} -n ${namespace} --force`,
  ),
  againMs: lookAgainMs,
});

const waitPods = (namespace: string, job: JobStatus, pod: LivePod): Doing => ({
  kind: 'doing',
  step: 'WaitPods',
  say: working(
    'PodEnding',
    `Job ${job.name} has ended, but its pod ${pod.name} is still there and may write; the next step waits for it. If its node is gone for good: kubectl delete pod ${pod.name} -n ${namespace} --force`,
  ),
  againMs: lookAgainMs,
});

const waiting = (
  { namespace, now }: Pick<Observed<unknown, unknown>, 'namespace' | 'now'>,
  job: JobStatus,
  { name, waits }: LivePod,
): Doing => {
  const message = `Job ${job.name} (${job.command}) has not begun: ${waits}; kubectl describe pod ${name} -n ${namespace} says more`;
  const long = now - Date.parse(job.since) > waitsLongMs;
  return {
    kind: 'doing',
    step: 'WaitJob',
    say: long ? stalled('JobWaiting', message) : working('JobWaiting', message),
    againMs: lookAgainMs,
  };
};

const running = (namespace: string, job: JobStatus, pod?: LivePod): Doing => ({
  kind: 'doing',
  step: 'WaitJob',
  say: working(
    'JobRunning',
    `Job ${job.name} (${job.command}) is under way; its log: kubectl logs job/${job.name} -n ${namespace}`,
  ),
  ...(pod?.dueToEnd === undefined ? {} : { againMs: lookAgainMs }),
});

const remove = (job: JobView): Doing => ({
  kind: 'doing',
  step: 'RemoveJob',
  say: working('JobOutdated', `Job ${job.name} is deleted: what it was made for has changed`),
  act: { kind: 'remove', job },
});

const held = (job: JobStatus): Doing => ({
  kind: 'doing',
  step: 'Suspended',
  say: working('Suspended', `Job ${job.name} waits: spec.suspend is true; set it to false to go on`),
});

const release = (job: JobView): Doing => ({
  kind: 'doing',
  step: 'ReleaseJob',
  say: working('JobStarting', `Job ${job.name} is started`),
  act: { kind: 'release', job },
});

/** The Job that is written down: nothing else happens before its end is. */
const recorded = (
  { namespace, jobs, pods, now }: Pick<Observed<unknown, unknown>, 'namespace' | 'jobs' | 'pods' | 'now'>,
  job: JobStatus,
  { stale, suspended }: DeskRules,
): Ended | Doing => {
  const present = jobs.find(({ uid }) => uid === job.uid);
  const pod = podsOf(pods, job.name);
  if (pod && isStuck(pod, now)) return stuck(namespace, job, pod);
  if (!present || present.ended)
    return pod ? waitPods(namespace, job, pod) : { kind: 'ended', job, summary: present?.summary };
  if (present.suspended) {
    if (stale(job)) return remove(present);
    return suspended ? held(job) : release(present);
  }
  if (!writes(job.command) && stale(job)) return remove(present);
  return pod?.waits === undefined ? running(namespace, job, pod) : waiting({ namespace, now }, job, pod);
};

const adopt = (namespace: string, job: JobView, wanted: Wanted, now: number): Doing => ({
  kind: 'doing',
  step: 'RecordJob',
  say: running(namespace, { ...wanted, uid: job.uid, since: '' }).say,
  record: { ...wanted, uid: job.uid, since: new Date(now).toISOString() },
});

/**
 * What is to be done about Jobs that are neither written down nor wanted: one that may be writing already is taken over, the others go. It
 * comes before anything is begun.
 * @param name of the Job that is wanted
 */
export const leftOver = (
  { namespace, jobs, now }: Pick<Observed<unknown, unknown>, 'namespace' | 'jobs' | 'now'>,
  name?: string,
): Doing | undefined => {
  const left = jobs.find((job) => !job.ended && job.name !== name);
  if (!left) return undefined;
  return left.wanted && !left.suspended && writes(left.command)
    ? adopt(namespace, left, left.wanted, now)
    : remove(left);
};

/**
 * What is to be done about the Jobs of an object: the one that is written down first, then what is left over. Undefined when nothing is.
 */
export const deskOf = (
  observed: Pick<Observed<unknown, unknown>, 'namespace' | 'jobs' | 'pods' | 'now'>,
  job: JobStatus | undefined,
  rules: DeskRules,
): Ended | Doing | undefined => (job ? recorded(observed, job, rules) : undefined);

/**
 * How a Job comes to be that is wanted: made without leave to begin, written down, and then let go. Whatever happens in between, a Job that
 * began was written down before, so that it is never made a second time.
 */
export const wantJob = (
  { jobs, secretProblem, now }: Pick<Observed<unknown, unknown>, 'jobs' | 'secretProblem' | 'now'>,
  wanted: Wanted,
  why: string,
): Doing => {
  const made = jobs.find(({ name }) => name === wanted.name);
  const say = working('JobStarting', why);
  if (made) {
    const record = { ...wanted, uid: made.uid, since: new Date(now).toISOString() };
    return { kind: 'doing', step: 'RecordJob', say, record };
  }
  if (secretProblem !== undefined)
    return {
      kind: 'doing',
      step: 'WaitSecret',
      say: stalled(secretProblem.reason, `${secretProblem.message}; the next Job waits for it`),
      againMs: lookAgainMs,
    };
  return { kind: 'doing', step: 'CreateJob', say, act: { kind: 'create', job: wanted }, againMs: 5_000 };
};
