import { isRelayError, toRelayError } from '@ranger-relay/errors';
import type { Condition, KubeObject, Lease, Resource, Result } from '@ranger-relay/operator-kit';
import { ownerLabel } from '../api/group.ts';
import { type JobAction, type Decision, stalled } from '../decide/decision.ts';
import {
  releaseSiteLock,
  type Holder,
  holderOf,
  siteLockName,
  readHolder,
  acquireSiteLock,
} from '../site-lock/site-lock.ts';
import { jobOf, jobs, type ManifestOptions } from '../jobs/manifest.ts';
import { pods } from '../jobs/pod.ts';
import { viewJob, viewPod } from '../jobs/read.ts';
import type { ReconcileDependencies } from './parts.ts';
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

const maxWorkers = 500;

/** Asks the API server whether work of a vanished holder still runs, before its Lease is taken over: caches may lag. */
const isStillWorking = async ({ api }: ReconcileDependencies, { namespace, uid }: Holder, signal: AbortSignal) => {
  const selection = { namespace, labelSelector: `${ownerLabel}=${uid}`, limit: maxWorkers };
  const { items: theirPods } = await api.list(pods, selection, { signal });
  const { items: theirJobs } = await api.list(jobs, selection, { signal });
  return theirPods.some((pod) => viewPod(pod)) || theirJobs.some((job) => viewJob(job, [])?.ended === false);
};

const take = async (
  parts: ReconcileDependencies,
  { resource, object, endpoint, lease }: Actor,
  signal: AbortSignal,
) => {
  const { api, namespace, clock } = parts;
  const before = readHolder(lease);
  if (before && (await isStillWorking(parts, before, signal))) return;
  const hold = { api, namespace, now: clock.now() };
  await acquireSiteLock(hold, siteLockName(endpoint), lease, holderOf(resource, object), { signal });
};

/** Another writer was faster or the cache was stale: the next reconcile observes the result. */
const isOutrun = (error: unknown): boolean => isRelayError(error, 'kube_conflict', 'kube_exists', 'kube_not_found');

const call = async (
  parts: ReconcileDependencies,
  actor: Actor,
  action: JobAction,
  signal: AbortSignal,
): Promise<void> => {
  const { api, settings, namespace, clock } = parts;
  const { resource, object, lease, command } = actor;
  const place = object.metadata.namespace;
  if (action.kind === 'create') {
    const manifest = jobOf({ ...command(action.job), job: action.job, resource, owner: object, settings });
    await api.create(jobs, manifest, { signal });
  } else if (action.kind === 'release') {
    const { name, uid, version } = action.job;
    const patch = { metadata: { uid, resourceVersion: version }, spec: { suspend: false } };
    await api.merge(jobs, { namespace: place, name }, patch, { signal });
  } else if (action.kind === 'remove') {
    const { name, uid, version } = action.job;
    // The precondition protects a Job that started since it was observed: it may write by now.
    await api.remove(jobs, { namespace: place, name }, { uid, resourceVersion: version, signal });
  } else if (action.kind === 'take') {
    await take(parts, actor, signal);
  } else if (lease) await releaseSiteLock({ api, namespace, now: clock.now() }, lease, { signal });
};

/** Makes the call of a step. Each call is idempotent and harmless when late. */
const perform = async (
  parts: ReconcileDependencies,
  actor: Actor,
  action: JobAction,
  signal: AbortSignal,
): Promise<void> => {
  try {
    await call(parts, actor, action, signal);
  } catch (error) {
    if (!isOutrun(error)) throw error;
  }
};

/** Delay after a conflicting status write, ms. */
const outrunMs = 500;
/** Delay after a call until the caches show its effect, ms. */
const unseenMs = 2_000;

const resultOf = (requeueAfterMs: number | undefined): Result =>
  requeueAfterMs === undefined ? { kind: 'done' } : { kind: 'again', afterMs: requeueAfterMs };

/**
 * Carries out one decision: its call or the status write. A call changes a watched object, which triggers the next reconcile;
 * a refusal of the API server is reported in the status.
 */
export const carryOut = async <Facts>(
  parts: ReconcileDependencies,
  actor: Actor & { readonly before: readonly Condition[] | undefined },
  decision: Decision<Facts>,
  signal: AbortSignal,
): Promise<Result> => {
  const { action, requeueAfterMs } = decision;
  if (!action) {
    const done = await writeStatus(parts, actor, decision, signal);
    return done ? resultOf(requeueAfterMs) : resultOf(outrunMs);
  }
  try {
    await perform(parts, actor, action, signal);
    return resultOf(requeueAfterMs ?? unseenMs);
  } catch (error) {
    if (!isRelayError(error, 'kube_refused', 'kube_forbidden')) throw error;
    const statusUpdate = stalled('Refused', `${toRelayError(error).message}; the operator tries again`);
    await writeStatus(parts, actor, { ...decision, status: statusUpdate }, signal);
    throw error;
  }
};
