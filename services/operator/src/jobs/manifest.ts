import { ownerReference, type KubeObject, type Resource } from '@ranger-relay/operator-kit';
import { commandLabel, forAnnotation, managedBy, ownerLabel } from '../api/group.ts';
import { spanMs } from '../api/fields.ts';
import { checkIntervalMs } from '../api/sync-spec.ts';
import { argumentsOf, type CommandOptions } from './command.ts';
import { jobDeadlineS, podOf, type JobSettings } from './pod.ts';

/** Jobs of a cluster. */
export const jobs: Resource = { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true };

/** On Jobs: what they were made for, as JSON, so that a Job can be taken over. */
export const wantedAnnotation = 'ranger-relay.dev/job';

/** A Job stays for so long in any case, so that its end is seen, also by an operator that was away, seconds. */
const minRetentionS = 3_600;

/** What a Job is made from. */
export interface ManifestOptions extends CommandOptions {
  /** Whom it belongs to. */
  readonly resource: Resource;
  readonly owner: KubeObject;
  readonly settings: JobSettings;
}

/** Where a check follows the last one by itself, its Job stays until the one after the next: else they would pile up, ms. */
const repeatMs = ({ job, sync }: ManifestOptions): number => {
  const repeats = job.command === 'verify' || (job.command === 'plan' && sync.mode === 'plan');
  return (repeats && 2 * checkIntervalMs(sync)) || Infinity;
};

/** How long a Job that has ended stays, seconds. */
const retentionS = (parts: ManifestOptions): number => {
  const askedMs = spanMs((parts.undo ?? parts.sync).jobRetention);
  return Math.max(minRetentionS, Math.ceil(Math.min(askedMs, repeatMs(parts)) / 1_000));
};

/** A Job that may not begin yet: it is let go once it is written down. It is never tried again by itself. Pure. */
export const jobOf = (parts: ManifestOptions): KubeObject => {
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
  };
};
