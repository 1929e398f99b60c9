import { commandLabel, forAnnotation, managedBy, ownerLabel } from '../api/group.ts';
import { spanMs } from '../api/fields.ts';
import { checkIntervalMs } from '../api/sync-spec.ts';
import { type Job, type KubeObject, ownerReference, type Resource } from '../kube/object.ts';
import { argumentsOf, type CommandOptions } from './command.ts';
import { jobDeadlineS, podOf, type JobSettings } from './pod.ts';

/** Annotation on Jobs: the purpose of the Job as JSON, so that the operator can adopt the Job. */
export const wantedAnnotation = 'ranger-relay.dev/job';

/** Minimum retention of an ended Job, in seconds, so that an operator that was down still observes its end. */
const minRetentionS = 3_600;

/** Inputs of a Job manifest. */
export interface ManifestOptions extends CommandOptions {
  /** Resource of the owner. */
  readonly resource: Resource;
  readonly owner: KubeObject;
  readonly settings: JobSettings;
}

/** Retention of a repeated check, in ms: two check intervals, so that Jobs do not pile up; Infinity for other Jobs. */
const repeatMs = ({ job, sync }: ManifestOptions): number => {
  const repeats = job.command === 'verify' || (job.command === 'plan' && sync.mode === 'plan');
  return (repeats && 2 * checkIntervalMs(sync)) || Infinity;
};

/** Retention of an ended Job, in seconds. */
const retentionS = (parts: ManifestOptions): number => {
  const askedMs = spanMs((parts.undo ?? parts.sync).jobRetention);
  return Math.max(minRetentionS, Math.ceil(Math.min(askedMs, repeatMs(parts)) / 1_000));
};

/** Builds a suspended Job; the operator resumes it once the status records it. Kubernetes never retries it. Pure. */
export const jobOf = (parts: ManifestOptions) => {
  const { resource, owner, settings, job, sync } = parts;
  const { name, namespace = '', uid = '' } = owner.metadata;
  const labels = { ...managedBy, [ownerLabel]: uid, [commandLabel]: job.command };
  const annotations = { [forAnnotation]: `${resource.kind}/${name}` };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: job.name,
      namespace,
      labels,
      annotations: { ...annotations, [wantedAnnotation]: JSON.stringify(job) },
      ownerReferences: [ownerReference(resource, owner)],
    },
    spec: {
      suspend: true,
      backoffLimit: 0,
      completions: 1,
      parallelism: 1,
      activeDeadlineSeconds: jobDeadlineS(settings),
      ttlSecondsAfterFinished: retentionS(parts),
      template: {
        metadata: {
          labels: { ...settings.pod.labels, ...labels },
          annotations: { ...settings.pod.annotations, ...annotations },
        },
        spec: podOf(sync, settings, job.command, argumentsOf(parts)),
      },
    },
  } satisfies Job;
};
