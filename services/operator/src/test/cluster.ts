import type { ExecutionContext } from 'ava';
import type { Job, KubeObject, Lease, Pod } from '../kube/object.ts';
import type { Caches } from '../reconcile/caches.ts';
import { type ApiServer, startApiServer } from '../testing/api-server.ts';
import { newSite, runTool, valueOf, type Fate, type Site } from './tool.ts';

const jobsOf = 'batch/v1/jobs';
const podsOf = 'v1/pods';
export const syncsOf = 'ranger-relay.dev/v1alpha1/patrolsyncs';
export const rollbacksOf = 'ranger-relay.dev/v1alpha1/patrolsyncrollbacks';
const locksOf = 'coordination.k8s.io/v1/leases';

/** A cluster with an API server, Jobs whose pods run the tool when they are told to, and a site. */
export interface Cluster {
  readonly server: ApiServer;
  /** The one that objects are for unless they say so. */
  readonly site: Site;
  readonly siteAt: (endpoint: string) => Site;
  /** What the operator sees of it now. */
  readonly caches: () => Caches;
  readonly objects: (collection: string) => readonly KubeObject[];
  /** Jobs that may run and have not ended. */
  readonly running: () => readonly Job[];
  /** Begins what may begin: each Job gets its pod. */
  readonly startPods: () => void;
  /** Runs the tool of a Job to its end. */
  readonly finish: (job: Job, fate: Fate) => void;
  /** Deletes a Job by hand; its pod stays until `sweep`. */
  readonly deleteJob: (job: Job) => void;
  /** Removes pods whose Job is gone. */
  readonly sweep: () => void;
}

const ended = (job: Job): boolean => (job.status?.conditions ?? []).length > 0;
const podName = ({ metadata }: KubeObject): string => `${metadata.name}-pod`;

/** Path of a kind of objects, or of one. */
export const objectPath = (collection: string, namespace: string, name = ''): string => {
  const [root, plural] = [collection.split('/').slice(0, -1).join('/'), collection.split('/').at(-1)];
  return `/${root.includes('/') ? 'apis' : 'api'}/${root}/namespaces/${namespace}/${plural}${name && `/${name}`}`;
};

/** Starts a cluster that ends with the test. */
export const startCluster = async (t: Pick<ExecutionContext, 'teardown'>, now: () => number): Promise<Cluster> => {
  const server = await startApiServer(t, { now });
  const sites = new Map<string, Site>();
  const siteAt = (endpoint: string): Site => {
    const site = sites.get(endpoint) ?? newSite();
    sites.set(endpoint, site);
    return site;
  };
  const objects = (collection: string) => server.store.all(collection) as unknown as readonly KubeObject[];
  const jobs = (): readonly Job[] => objects(jobsOf) as readonly Job[];
  const has = (collection: string, name: string): boolean => server.store.get(collection, `park/${name}`) !== undefined;
  const running = (): readonly Job[] => jobs().filter((job) => !job.spec?.suspend && !ended(job));

  const startPods = (): void => {
    for (const job of running()) {
      if (has(podsOf, podName(job))) continue;
      const { labels, annotations } = job.spec?.template.metadata ?? {};
      const metadata = {
        name: podName(job),
        namespace: 'park',
        annotations,
        labels: {
          ...labels,
          'batch.kubernetes.io/job-name': job.metadata.name,
          'batch.kubernetes.io/controller-uid': job.metadata.uid ?? '',
        },
      };
      server.call('POST', objectPath(podsOf, 'park'), { apiVersion: 'v1', kind: 'Pod', metadata });
    }
  };

  const snapshot = <T extends KubeObject>(collection: string) => {
    const all = new Map(
      (objects(collection) as readonly T[]).map((each) => [`${each.metadata.namespace}/${each.metadata.name}`, each]),
    );
    return { get: (key: string) => all.get(key), values: () => [...all.values()] };
  };

  return {
    server,
    site: siteAt('site.example'),
    siteAt,
    objects,
    running,
    startPods,
    caches: () => ({
      syncs: snapshot(syncsOf),
      rollbacks: snapshot(rollbacksOf),
      jobs: snapshot<Job>(jobsOf),
      pods: snapshot<Pod>(podsOf),
      siteLocks: snapshot<Lease>(locksOf),
      covers: () => true,
    }),
    finish(job, fate) {
      startPods();
      const args = job.spec?.template.spec?.containers[0]?.args ?? [];
      const summary = runTool(siteAt(valueOf(args, '--site-endpoint') || 'site.example'), args, fate);
      const pod = objectPath(podsOf, 'park', podName(job));
      if (summary === undefined) server.call('DELETE', pod);
      else {
        const message = JSON.stringify(summary);
        const status = {
          phase: summary.exit === 0 ? 'Succeeded' : 'Failed',
          containerStatuses: [{ state: { terminated: { message } } }],
        };
        server.call('PATCH', `${pod}/status`, { status });
      }
      const type = summary?.exit === 0 ? 'Complete' : 'Failed';
      server.call('PATCH', `${objectPath(jobsOf, 'park', job.metadata.name)}/status`, {
        status: { conditions: [{ type, status: 'True' }] },
      });
    },
    deleteJob: (job) => void server.call('DELETE', objectPath(jobsOf, 'park', job.metadata.name)),
    sweep() {
      for (const pod of objects(podsOf)) {
        const owner = pod.metadata.labels?.['batch.kubernetes.io/controller-uid'];
        if (!jobs().some(({ metadata }) => metadata.uid === owner))
          server.call('DELETE', objectPath(podsOf, 'park', pod.metadata.name));
      }
    },
  };
};
