import { isRelayError, toRelayError } from '@ranger-relay/errors';
import { ownerLabel } from '../api/group.ts';
import { type Decision, type JobAction, stalled } from '../decide/decision.ts';
import { writes } from '../decide/job-lifecycle.ts';
import { jobOf, type ManifestOptions } from '../jobs/manifest.ts';
import { viewJob, viewPod } from '../jobs/read.ts';
import type { Condition } from '../kube/conditions.ts';
import { itemsOf } from '../kube/client.ts';
import type { Job, KubeObject, Lease, Pod, Resource } from '../kube/object.ts';
import type { Result } from '../kube/work-queue.ts';
import {
  acquireSiteLock,
  type Holder,
  holderOf,
  readHolder,
  releaseSiteLock,
  siteLockName,
} from '../site-lock/site-lock.ts';
import type { ReconcileDependencies } from './dependencies.ts';
import { writeStatus } from './write.ts';

/** Object that a call acts for. */
interface Actor {
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly endpoint: string;
  /** Lease of the site as observed. */
  readonly lease: Lease | undefined;
  /** Command inputs of a Job of this object. */
  readonly command: (
    job: ManifestOptions['job'],
  ) => Pick<ManifestOptions, 'sync' | 'folder' | 'record' | 'undo' | 'spared'>;
}

/** Asks the API server whether work of a vanished holder still runs, before its Lease is taken over: caches may lag. */
const isStillWorking = async ({ client }: ReconcileDependencies, { namespace, uid }: Holder) => {
  const selection = { namespace, labelSelector: `${ownerLabel}=${uid}` };
  const pods = itemsOf<Pod>(await client.core.listNamespacedPod(selection));
  const jobs = itemsOf<Job>(await client.batch.listNamespacedJob(selection));
  return pods.some((pod) => viewPod(pod)) || jobs.some((job) => viewJob(job, [])?.ended === false);
};

const isUnchanged = async ({ client }: ReconcileDependencies, { resource, object }: Actor) => {
  const { name, namespace = '', resourceVersion } = object.metadata;
  const { group, version, plural } = resource;
  const place = { group, version, plural, namespace, fieldSelector: `metadata.name=${name}` };
  const [stored] = itemsOf(await client.custom.listNamespacedCustomObject(place));
  return stored?.metadata.resourceVersion === resourceVersion;
};

const acquire = async (deps: ReconcileDependencies, actor: Actor): Promise<void> => {
  const { resource, object, endpoint, lease } = actor;
  const me = holderOf(resource, object);
  const before = readHolder(lease);
  if (before && before.uid !== me.uid && (await isStillWorking(deps, before))) return;
  // The site is no longer known when the PatrolSync of a rollback is gone.
  const name = lease?.metadata.name ?? siteLockName(endpoint);
  await acquireSiteLock({ ...deps, now: deps.clock.now() }, name, lease, me);
};

/** Two operators may run for a moment: one with an older copy of the object must not give away what the other one needs. */
const release = async (deps: ReconcileDependencies, actor: Actor): Promise<void> => {
  if (actor.lease && (await isUnchanged(deps, actor)))
    await releaseSiteLock({ ...deps, now: deps.clock.now() }, actor.lease);
};

const call = async (deps: ReconcileDependencies, actor: Actor, action: JobAction): Promise<void> => {
  const { client, settings } = deps;
  const { resource, object, command } = actor;
  const { namespace = '' } = object.metadata;
  if (!('job' in action)) return action.kind === 'acquireLock' ? acquire(deps, actor) : release(deps, actor);
  if (action.kind === 'create') {
    const manifest = jobOf({ ...command(action.job), job: action.job, resource, owner: object, settings });
    return void (await client.batch.createNamespacedJob({ namespace, body: manifest }));
  }
  const { name, uid, version: resourceVersion } = action.job;
  const about = { namespace, name };
  // The preconditions protect a Job that started since it was observed: it may write by now.
  if (action.kind === 'remove') {
    const body = { preconditions: { uid, resourceVersion }, propagationPolicy: 'Background' };
    return void (await client.batch.deleteNamespacedJob({ ...about, body }));
  }
  // A new version of the Lease voids a release that is under way.
  if (writes(action.job.command)) await acquire(deps, actor);
  const body = { metadata: { uid, resourceVersion }, spec: { suspend: false } };
  await client.batch.patchNamespacedJob({ ...about, body }, client.merge);
};

/** Makes the call of a step. When another writer was faster or the cache was stale, the next reconcile observes the result. */
const perform: typeof call = async (...args) => {
  try {
    await call(...args);
  } catch (error) {
    if (!isRelayError(error, 'kube_conflict', 'kube_exists', 'kube_not_found')) throw error;
  }
};

/** Delay after a conflicting status write, ms. */
const outrunMs = 500;
/** Delay after a call until the caches show its effect, ms. */
const unseenMs = 2_000;

const resultOf = (requeueAfterMs: number | undefined): Result =>
  requeueAfterMs === undefined ? { kind: 'done' } : { kind: 'again', afterMs: requeueAfterMs };

/**
 * Executes one decision: its call or the status write. A call changes a watched object, which triggers the next reconcile; a refusal of the
 * API server is reported in the status.
 */
export const execute = async <Facts>(
  deps: ReconcileDependencies,
  actor: Actor & { readonly before: readonly Condition[] | undefined },
  decision: Decision<Facts>,
): Promise<Result> => {
  const { action, requeueAfterMs } = decision;
  if (!action) {
    const written = await writeStatus(deps, actor, decision);
    return resultOf(written ? requeueAfterMs : outrunMs);
  }
  try {
    await perform(deps, actor, action);
    return resultOf(requeueAfterMs ?? unseenMs);
  } catch (error) {
    if (!isRelayError(error, 'kube_refused', 'kube_forbidden')) throw error;
    const statusUpdate = stalled('Refused', `${toRelayError(error).message}; the operator tries again`);
    await writeStatus(deps, actor, { ...decision, status: statusUpdate });
    throw error;
  }
};
