import { isRelayError, toRelayError } from '@ranger-relay/errors';
import type { Condition, KubeObject, Resource, Result } from '@ranger-relay/operator-kit';
import { ownerLabel } from '../api/group.ts';
import { type Act, type Decision, stalled } from '../decide/decision.ts';
import { giveBackHold, type Holder, holderOf, holdName, readHolder, takeHold } from '../hold/hold.ts';
import { jobOf, jobs, type ManifestParts } from '../jobs/manifest.ts';
import { pods } from '../jobs/pod.ts';
import { viewJob, viewPod } from '../jobs/read.ts';
import type { ReconcileParts } from './parts.ts';
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
    job: ManifestParts['job'],
  ) => Pick<ManifestParts, 'sync' | 'folder' | 'record' | 'undo' | 'spared'>;
}

const mostWorkers = 500;

/** The copies may not show yet what still works for a holder that is gone: whoever takes its Lease over asks first. */
const isStillWorking = async ({ api }: ReconcileParts, { namespace, uid }: Holder, signal: AbortSignal) => {
  const selection = { namespace, labelSelector: `${ownerLabel}=${uid}`, limit: mostWorkers };
  const { items: theirPods } = await api.list(pods, selection, { signal });
  const { items: theirJobs } = await api.list(jobs, selection, { signal });
  return theirPods.some((pod) => viewPod(pod)) || theirJobs.some((job) => viewJob(job, [])?.ended === false);
};

const take = async (parts: ReconcileParts, { resource, object, endpoint, lease }: Actor, signal: AbortSignal) => {
  const { api, namespace, clock } = parts;
  const before = readHolder(lease);
  if (before && (await isStillWorking(parts, before, signal))) return;
  const hold = { api, namespace, now: clock.now() };
  await takeHold(hold, holdName(endpoint), lease, holderOf(resource, object), { signal });
};

/** Somebody was faster, or the copy was old: the next look tells. */
const isOutrun = (error: unknown): boolean => isRelayError(error, 'kube_conflict', 'kube_exists', 'kube_not_found');

const call = async (parts: ReconcileParts, actor: Actor, act: Act, signal: AbortSignal): Promise<void> => {
  const { api, settings, namespace, clock } = parts;
  const { resource, object, lease, command } = actor;
  const place = object.metadata.namespace;
  if (act.kind === 'create') {
    const manifest = jobOf({ ...command(act.job), job: act.job, resource, owner: object, settings });
    await api.create(jobs, manifest, { signal });
  } else if (act.kind === 'release') {
    const { name, uid, version } = act.job;
    const patch = { metadata: { uid, resourceVersion: version }, spec: { suspend: false } };
    await api.merge(jobs, { namespace: place, name }, patch, { signal });
  } else if (act.kind === 'remove') {
    const { name, uid, version } = act.job;
    // One that has begun since it was seen may write by now.
    await api.remove(jobs, { namespace: place, name }, { uid, resourceVersion: version, signal });
  } else if (act.kind === 'take') {
    await take(parts, actor, signal);
  } else if (lease) await giveBackHold({ api, namespace, now: clock.now() }, lease, { signal });
};

/** Makes the one call of a step. Each is such that making it twice, or late, does no harm. */
const perform = async (parts: ReconcileParts, actor: Actor, act: Act, signal: AbortSignal): Promise<void> => {
  try {
    await call(parts, actor, act, signal);
  } catch (error) {
    if (!isOutrun(error)) throw error;
  }
};

/** After a status that somebody else was faster with, ms. */
const outrunMs = 500;
/** After a call, until the copies show what came of it, ms. */
const unseenMs = 2_000;

const resultOf = (againMs: number | undefined): Result =>
  againMs === undefined ? { kind: 'done' } : { kind: 'again', afterMs: againMs };

/**
 * Carries out one decision: its call, or the status. A call changes something that is watched, so that the next look comes by itself; what
 * the API server refuses is said to people.
 */
export const carryOut = async <Facts>(
  parts: ReconcileParts,
  actor: Actor & { readonly before: readonly Condition[] | undefined },
  decision: Decision<Facts>,
  signal: AbortSignal,
): Promise<Result> => {
  const { act, againMs } = decision;
  if (!act) {
    const done = await writeStatus(parts, actor, decision, signal);
    return done ? resultOf(againMs) : resultOf(outrunMs);
  }
  try {
    await perform(parts, actor, act, signal);
    return resultOf(againMs ?? unseenMs);
  } catch (error) {
    if (!isRelayError(error, 'kube_refused', 'kube_forbidden')) throw error;
    const say = stalled('Refused', `${toRelayError(error).message}; it is tried again`);
    await writeStatus(parts, actor, { ...decision, say }, signal);
    throw error;
  }
};
