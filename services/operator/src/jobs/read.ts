import { syncSummarySchema, type SyncSummary } from '@ranger-relay/contracts';
import { jsonOf } from '@ranger-relay/errors';
import { commandLabel, ownerLabel } from '../api/group.ts';
import { commands, jobSchema, type Command } from '../api/run-status.ts';
import type { JobView, LivePod } from '../decide/observed.ts';
import type { Job, Pod } from '../kube/object.ts';
import { wantedAnnotation } from './manifest.ts';

const wantedSchema = jobSchema.omit({ uid: true, since: true });
const jobNameLabels = ['batch.kubernetes.io/job-name', 'job-name'] as const;
/** Maximum size of a termination message in Kubernetes, in bytes. */
const maxBytes = 4_096;

/** Parses a termination message; undefined when a Job of the operator did not write it. */
export const readSummary = (text: string | undefined): SyncSummary | undefined => {
  if (text === undefined || Buffer.byteLength(text) > maxBytes) return undefined;
  return syncSummarySchema.safeParse(jsonOf(text)).data;
};

const hasEnded = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Name of the Job that a pod belongs to. */
const jobNameOf = ({ metadata: { labels = {} } }: Pod): string | undefined =>
  jobNameLabels.map((label) => labels[label]).find((name) => name !== undefined);

const messageOf = (pods: readonly Pod[]): string | undefined =>
  pods
    .flatMap(({ status }) => status?.containerStatuses ?? [])
    .map(({ state }) => state?.terminated?.message)
    .find((text) => text !== undefined);

const commandOf = (job: Job): Command | undefined =>
  commands.find((command) => command === job.metadata.labels?.[commandLabel]);

const isFinished = (job: Job): boolean =>
  (job.status?.conditions ?? []).some(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );

/** Summary in the termination messages of a Job's pods. */
export const summaryOf = (job: string, pods: readonly Pod[]): SyncSummary | undefined =>
  readSummary(messageOf(pods.filter((pod) => jobNameOf(pod) === job)));

/** View of a Job with the summary of its pods; undefined when the operator does not own the Job. */
export const viewJob = (job: Job, pods: readonly Pod[]): JobView | undefined => {
  const command = commandOf(job);
  const { name, uid, resourceVersion: version, annotations } = job.metadata;
  if (command === undefined || uid === undefined || version === undefined) return undefined;
  return {
    name,
    uid,
    version,
    command,
    wanted: wantedSchema.safeParse(jsonOf(annotations?.[wantedAnnotation] ?? '')).data,
    suspended: job.spec?.suspend === true,
    ended: isFinished(job),
    summary: summaryOf(name, pods),
  };
};

const waitOf = ({ status }: Pod): string | undefined => {
  if (status?.phase !== 'Pending') return undefined;
  const unplaced = status.conditions?.find((each) => each.type === 'PodScheduled' && each.status === 'False');
  return status.containerStatuses?.[0]?.state?.waiting?.reason ?? unplaced?.message ?? 'its pod is Pending';
};

/** View of a pod that has not ended; undefined for an ended pod. */
export const viewPod = (pod: Pod): LivePod | undefined => {
  const job = jobNameOf(pod);
  if (job === undefined || hasEnded(pod)) return undefined;
  const { name, deletionTimestamp } = pod.metadata;
  // Date in a list, text in a watch.
  const dueToEnd = deletionTimestamp === undefined ? undefined : new Date(deletionTimestamp).getTime();
  return { name, job, waits: waitOf(pod), dueToEnd };
};

/** Whether a Job or a pod works for an object. */
export const belongsTo = (uid: string, { metadata }: Pick<Job | Pod, 'metadata'>): boolean =>
  metadata.labels?.[ownerLabel] === uid;
