import { isRelayError } from '@ranger-relay/errors';
import { ownerLabel, siteAnnotation, siteLabel } from '../api/group.ts';
import type { JobStatus } from '../api/run-status.ts';
import type { SyncSpec } from '../api/sync-spec.ts';
import type { SecretProblem } from '../decide/observed.ts';
import { summaryOf, viewJob, viewPod } from '../jobs/read.ts';
import { itemsOf, type KubeClient, named, orNone } from '../kube/client.ts';
import { type Job, keyOf, type KubeObject, type Pod, type Resource, type Secret } from '../kube/object.ts';
import { holderOf, holderText, holderTextOf, siteLockName, viewSiteLock } from '../site-lock/site-lock.ts';
import { isGone, workOf } from './caches.ts';
import type { ReconcileDependencies } from './dependencies.ts';

const hasScheme = /^https?:\/\//i;
const apiOnward = /\/+(?:api(?:\/.*)?)?$/;
/** Valid values of a label. */
const labelValue = /^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/;

const urlOf = (endpoint: string): URL | null => URL.parse(hasScheme.test(endpoint) ? endpoint : `https://${endpoint}`);

/** Normalizes an endpoint; undefined when it is invalid. */
const canonical = (endpoint: string): string | undefined => {
  const url = urlOf(endpoint.trim());
  return url ? `${url.origin}${url.pathname.replace(apiOnward, '')}` : undefined;
};

/** Host that a label can name: a site over HTTPS on the default port. */
const labelHost = (endpoint: string): string | undefined => {
  const url = urlOf(endpoint);
  return url?.protocol === 'https:' && url.port === '' && labelValue.test(url.host) ? url.host : undefined;
};

/** Whether a Secret is allowed for an endpoint. Without this check, an author of a PatrolSync could send any Secret anywhere. */
const isAllowed = ({ metadata: { labels, annotations } }: Secret, endpoint: string): boolean => {
  const host = labelHost(endpoint);
  if (host !== undefined && labels?.[siteLabel] === host) return true;
  const allowed = annotations?.[siteAnnotation];
  return allowed !== undefined && canonical(allowed) === canonical(endpoint);
};

/** Instructions for allowing a Secret for an endpoint; they keep a label that names another host. */
const askAllow = ({ metadata: { name, namespace, labels } }: Secret, endpoint: string): string => {
  const host = labels?.[siteLabel] === undefined ? labelHost(endpoint) : undefined;
  const secret = `secret ${name} -n ${namespace}`;
  return host === undefined
    ? `kubectl annotate ${secret} ${siteAnnotation}=${endpoint} --overwrite`
    : `kubectl label ${secret} ${siteLabel}=${host}`;
};

/** Why a Job may not use a key of a Secret for an endpoint; undefined when it may. Never reads the value of the key. Pure. */
export const secretProblem = (
  secret: Secret | undefined,
  { name, key }: SyncSpec['site']['token'],
  endpoint: string,
): SecretProblem | undefined => {
  if (!secret) return { reason: 'SecretMissing', message: `There is no Secret ${name}` };
  if (!isAllowed(secret, endpoint))
    return {
      reason: 'SecretNotAllowed',
      message: `The Secret ${name} is not allowed for ${endpoint}. To allow it: ${askAllow(secret, endpoint)}`,
    };
  if (key in (secret.data ?? {})) return undefined;
  return { reason: 'SecretMissing', message: `The Secret ${name} has no key ${key}` };
};

/** Jobs and pods of an object. */
type Work = ReturnType<typeof workOf>;

/** Lookup of the recorded Job of an object. */
interface Search {
  readonly client: KubeClient;
  readonly object: KubeObject;
  readonly job: JobStatus;
}

/** Reads a recorded Job from the API server when the caches do not hold it: caches may lag behind the status. */
const withRecorded = async ({ client, object, job }: Search, work: Work): Promise<Work> => {
  if (work.jobs.some(({ uid }) => uid === job.uid)) return work;
  const { namespace = '' } = object.metadata;
  const found = await orNone(client.batch.readNamespacedJob({ namespace, name: job.name }));
  const view = found && viewJob(named<Job>(found), work.ownPods);
  return view?.uid === job.uid ? { ...work, jobs: [...work.jobs, view] } : work;
};

/** Lists the pods of a Job that ended without a summary: a pod that the caches miss may hold the summary, or still write. */
const withLastWords = async ({ client, object, job }: Search, work: Work): Promise<Work> => {
  const present = work.jobs.find(({ uid }) => uid === job.uid);
  const goesOn = present !== undefined && !present.ended;
  if (goesOn || present?.summary !== undefined || work.pods.some((pod) => pod.job === job.name)) return work;
  const { namespace = '', uid = '' } = object.metadata;
  const labelSelector = `${ownerLabel}=${uid}`;
  const items = itemsOf<Pod>(await client.core.listNamespacedPod({ namespace, labelSelector }));
  const jobs = work.jobs.map((each) => (each === present ? { ...each, summary: summaryOf(each.name, items) } : each));
  return { ...work, jobs, pods: items.flatMap((pod) => viewPod(pod) ?? []) };
};

/**
 * Observes the Jobs, the pods and the Lease of an object: the Lease of its site, or the one that it still holds when its site is no
 * longer known.
 */
export const observe = async (
  { client, caches, namespace }: ReconcileDependencies,
  {
    resource,
    object,
    endpoint,
    job,
  }: { resource: Resource; object: KubeObject; endpoint: string | undefined; job: JobStatus | undefined },
) => {
  const seen = workOf(caches, object.metadata.uid ?? '');
  const search = job && { client, object, job };
  const work = search ? await withLastWords(search, await withRecorded(search, seen)) : seen;
  const me = holderOf(resource, object);
  const lease =
    endpoint === undefined
      ? caches.siteLocks.values().find((each) => holderTextOf(each) === holderText(me))
      : caches.siteLocks.get(keyOf({ namespace, name: siteLockName(endpoint) }));
  return {
    jobs: work.jobs,
    pods: work.pods,
    lease,
    siteLock: viewSiteLock(lease, me, (holder) => isGone(caches, holder)),
  };
};

/** Problem with the Secrets that a site needs; undefined when there is none. */
export const secretProblemOf = async (
  client: KubeClient,
  namespace: string,
  { token, ca, endpoint }: SyncSpec['site'],
): Promise<SecretProblem | undefined> => {
  for (const each of ca ? [token, ca] : [token]) {
    try {
      const secret = await orNone(client.core.readNamespacedSecret({ namespace, name: each.name }));
      const problem = secretProblem(secret && named<Secret>(secret), each, endpoint);
      if (problem) return problem;
    } catch (error) {
      if (!isRelayError(error, 'kube_forbidden')) throw error;
      const message = `The operator has no rights in the namespace ${namespace}, so it does no work there; watchNamespaces of its chart has to name it`;
      return { reason: 'Refused', message };
    }
  }
  return undefined;
};
