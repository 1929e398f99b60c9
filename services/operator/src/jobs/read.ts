import { syncSummarySchema, type SyncSummary } from '@ranger-relay/contracts';
import { isRecord, memberOf, type KubeObject } from '@ranger-relay/operator-kit';
import { commandLabel, ownerLabel } from '../api/group.ts';
import { commands, jobSchema, type Command } from '../api/run-status.ts';
import type { JobView, LivePod } from '../decide/observed.ts';
import { wantedAnnotation } from './manifest.ts';

const wantedSchema = jobSchema.omit({ uid: true, since: true });
const jobNameLabels = ['batch.kubernetes.io/job-name', 'job-name'] as const;
/** Maximum size of a termination message in Kubernetes, in bytes. */
const maxBytes = 4_096;

const list = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Parses a termination message; undefined when a Job of the operator did not write it. */
export const readSummary = (text: string | undefined): SyncSummary | undefined => {
  if (text === undefined || Buffer.byteLength(text) > maxBytes) return undefined;
  return syncSummarySchema.safeParse(jsonOf(text)).data;
};

const hasEnded = (pod: KubeObject): boolean => ['Succeeded', 'Failed'].includes(String(memberOf(pod.status, 'phase')));

/** Name of the Job that a pod belongs to. */
const jobNameOf = ({ metadata: { labels = {} } }: KubeObject): string | undefined =>
  jobNameLabels.map((label) => labels[label]).find((name) => name !== undefined);

const messageOf = (pods: readonly KubeObject[]): string | undefined =>
  pods
    .flatMap((pod) => list(memberOf(pod.status, 'containerStatuses')))
    .map((container) => textOf(memberOf(container, 'state', 'terminated', 'message')))
    .find((text) => text !== undefined);

const commandOf = (job: KubeObject): Command | undefined =>
  commands.find((command) => command === job.metadata.labels?.[commandLabel]);

const isFinished = (job: KubeObject): boolean =>
  list(memberOf(job.status, 'conditions')).some(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );

/** Summary in the termination messages of a Job's pods. */
export const summaryOf = (job: string, pods: readonly KubeObject[]): SyncSummary | undefined =>
  readSummary(messageOf(pods.filter((pod) => jobNameOf(pod) === job)));

/** View of a Job with the summary of its pods; undefined when the operator does not own the Job. */
export const viewJob = (job: KubeObject, pods: readonly KubeObject[]): JobView | undefined => {
  const command = commandOf(job);
  const { name, uid, resourceVersion: version, annotations } = job.metadata;
  if (command === undefined || uid === undefined || version === undefined) return undefined;
  return {
    name,
    uid,
    version,
    command,
    wanted: wantedSchema.safeParse(jsonOf(annotations?.[wantedAnnotation] ?? '')).data,
    suspended: memberOf(job.spec, 'suspend') === true,
    ended: isFinished(job),
    summary: summaryOf(name, pods),
  };
};

const waitOf = (pod: KubeObject): string | undefined => {
  if (memberOf(pod.status, 'phase') !== 'Pending') return undefined;
  const [reason] = list(memberOf(pod.status, 'containerStatuses')).map((each) =>
    textOf(memberOf(each, 'state', 'waiting', 'reason')),
  );
  const unplaced = list(memberOf(pod.status, 'conditions')).find(
    ({ type, status }) => type === 'PodScheduled' && status === 'False',
  );
  return reason ?? textOf(unplaced?.['message']) ?? 'its pod is Pending';
};

/** View of a pod that has not ended; undefined for an ended pod. */
export const viewPod = (pod: KubeObject): LivePod | undefined => {
  const job = jobNameOf(pod);
  if (job === undefined || hasEnded(pod)) return undefined;
  const { name, deletionTimestamp } = pod.metadata;
  const dueToEnd = deletionTimestamp === undefined ? undefined : Date.parse(deletionTimestamp);
  return { name, job, waits: waitOf(pod), dueToEnd };
};

/** Whether a Job or a pod works for an object. */
export const belongsTo = (uid: string, { metadata }: KubeObject): boolean => metadata.labels?.[ownerLabel] === uid;
