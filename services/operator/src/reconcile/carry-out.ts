import { isRelayError, toRelayError } from '@ranger-relay/errors';
import type { Condition, KubeObject, Resource, Result } from '@ranger-relay/operator-kit';
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

/** Whom a call is made for. */
interface Actor {
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly endpoint: string;
  /** The Lease of the site, as it was seen. */
  readonly lease: KubeObject | undefined;
  /** What a Job of this object is made from, beside itself. */
  readonly command: (
    job: ManifestOptions['job'],
  ) => Pick<ManifestOptions, 'sync' | 'folder' | 'record' | 'undo' | 'spared'>;
}

const maxWorkers = 500;

/** The copies may not show yet what still works for a holder that is gone: whoever takes its Lease over asks first. */
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

/** Somebody was faster, or the copy was old: the next look tells. */
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
    // One that has begun since it was seen may write by now.
    await api.remove(jobs, { namespace: place, name }, { uid, resourceVersion: version, signal });
  } else if (action.kind === 'take') {
    await take(parts, actor, signal);
  } else if (lease) await releaseSiteLock({ api, namespace, now: clock.now() }, lease, { signal });
};

/** Makes the one call of a step. Each is such that making it twice, or late, does no harm. */
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

/** After a status that somebody else was faster with, ms. */
const outrunMs = 500;
/** After a call, until the copies show what came of it, ms. */
const unseenMs = 2_000;

const resultOf = (requeueAfterMs: number | undefined): Result =>
  requeueAfterMs === undefined ? { kind: 'done' } : { kind: 'again', afterMs: requeueAfterMs };

/**
 * Carries out one decision: its call, or the status. A call changes something that is watched, so that the next look comes by itself; what
 * the API server refuses is said to people.
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
    const statusUpdate = stalled('Refused', `${toRelayError(error).message}; it is tried again`);
    await writeStatus(parts, actor, { ...decision, status: statusUpdate }, signal);
    throw error;
  }
};
