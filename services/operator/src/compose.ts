import {
  createController,
  createElector,
  createInformer,
  createRecorder,
  type KubeApi,
  type KubeObject,
  leases,
  type Resource,
  type Selection,
} from '@ranger-relay/operator-kit';
import { baseApp, type Context, serveService } from '@ranger-relay/runtime';
import { holdLabel, managedBy, patrolSyncs, rollbacks } from './api/group.ts';
import { namesIn, type OperatorConfig } from './config.ts';
import { jobs } from './jobs/manifest.ts';
import { type JobSettings, pods } from './jobs/pod.ts';
import { fieldManager, type ReconcileDependencies } from './reconcile/parts.ts';
import { createRollbackReconcile } from './reconcile/rollback.ts';
import { type Caches, type Informers, rollbackSources, syncSources } from './reconcile/sources.ts';
import { createSyncReconcile } from './reconcile/sync.ts';
import { countStates } from './status/states.ts';

/** Dependencies of the operator in addition to its configuration. */
export interface OperatorDependencies {
  readonly api: KubeApi;
  /** Namespace of the Leases. */
  readonly namespace: string;
  /** Unique identity of this process. */
  readonly identity: string;
}

/** The leader Lease is released at least this long before the process ends, ms. */
const reserveMs = 5_000;

const settingsOf = (config: OperatorConfig): JobSettings => ({
  image: config.JOB_IMAGE,
  pullPolicy: config.JOB_IMAGE_PULL_POLICY,
  pullSecrets: namesIn(config.JOB_IMAGE_PULL_SECRETS),
  serviceAccount: config.JOB_SERVICE_ACCOUNT,
  memoryMiB: config.JOB_MEMORY_MIB,
  deadlineS: config.JOB_DEADLINE_S,
  pod: config.JOB_POD,
});

const informersOf = (
  context: Context,
  { api, namespace }: OperatorDependencies,
  watched: string | undefined,
): Informers => {
  const [ours] = Object.entries(managedBy).map(([label, value]) => `${label}=${value}`);
  const of = <T extends KubeObject>(resource: Resource<T>, selection: Selection) =>
    createInformer({ ...context, api, resource, ...selection });
  const objects = { namespace: watched };
  const work = { namespace: watched, labelSelector: ours };
  return {
    syncs: of(patrolSyncs, objects),
    rollbacks: of(rollbacks, objects),
    jobs: of(jobs, work),
    pods: of(pods, work),
    holds: of(leases, { namespace, labelSelector: `${holdLabel}=site` }),
  };
};

const cachesOf = (informers: Informers, watched: string | undefined): Caches => ({
  covers: (namespace) => watched === undefined || watched === namespace,
  syncs: informers.syncs.cache,
  rollbacks: informers.rollbacks.cache,
  jobs: informers.jobs.cache,
  pods: informers.pods.cache,
  holds: informers.holds.cache,
});

/**
 * Starts the operator and registers its shutdown on the context's lifecycle. Returns the port of health and metrics.
 * @throws RelayError `config_invalid`
 */
export const compose = async (
  context: Context,
  dependencies: OperatorDependencies,
  config: OperatorConfig,
): Promise<{ port: number }> => {
  const { api, namespace, identity } = dependencies;
  const { lifecycle, health } = context;
  const informers = informersOf(context, dependencies, config.WATCH_NAMESPACE);
  const recorder = createRecorder({ ...context, api, component: fieldManager, namespace });
  const parts: ReconcileDependencies = {
    api,
    caches: cachesOf(informers, config.WATCH_NAMESPACE),
    clock: context.clock,
    recorder,
    settings: settingsOf(config),
    namespace,
  };
  const concurrency = config.CONCURRENCY;
  const controllers = [
    createController({
      ...context,
      name: 'patrolsync',
      sources: syncSources(informers),
      reconcile: createSyncReconcile(parts),
      concurrency,
    }),
    createController({
      ...context,
      name: 'rollback',
      sources: rollbackSources(informers),
      reconcile: createRollbackReconcile(parts),
      concurrency,
    }),
  ];
  const elector = createElector({
    ...context,
    api,
    identity,
    lease: { namespace, name: config.LEADER_LEASE },
    lead: async (term) => {
      await Promise.all(controllers.map((controller) => controller.run(term)));
    },
  });
  const all = Object.values(informers) as readonly Informers['syncs'][];
  health.addReadiness({ name: 'the cluster is known', ok: () => all.every((informer) => informer.synced()) });
  lifecycle.onStop('events', () => recorder.stop(1_000));
  for (const informer of all) lifecycle.onStop('informer', () => informer.stop());
  for (const { resource, cache, onChange } of [informers.syncs, informers.rollbacks])
    lifecycle.onStop('counts', countStates({ ...context, resource, cache, onChange }));
  lifecycle.onStop('elector', () => elector.stop(config.STOP_GRACE_S * 1_000 - reserveMs));
  const port = await serveService(context, baseApp(context), config);
  for (const informer of all) informer.start();
  elector.start();
  return { port };
};
