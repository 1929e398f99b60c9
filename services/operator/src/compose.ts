import { baseApp, type Context, serveService } from '@ranger-relay/runtime';
import { patrolSyncs, rollbacks } from './api/group.ts';
import { namesIn, type OperatorConfig } from './config.ts';
import type { JobSettings } from './jobs/pod.ts';
import { createController } from './kube/controller.ts';
import type { KubeClient } from './kube/client.ts';
import { createInformer, type Source } from './kube/informer.ts';
import type { KubeObject } from './kube/object.ts';
import { createRecorder } from './kube/recorder.ts';
import { cachesOf, type Informers, sourcesOf } from './reconcile/caches.ts';
import type { ReconcileDependencies } from './reconcile/dependencies.ts';
import { createRollbackReconcile } from './reconcile/rollback.ts';
import { createSyncReconcile } from './reconcile/sync.ts';
import { addTriggers } from './reconcile/triggers.ts';
import { countStates } from './status/states.ts';

/** Dependencies of the operator in addition to its configuration. */
export interface OperatorDependencies {
  readonly client: KubeClient;
  /** Namespace of the site Leases. */
  readonly namespace: string;
}

/** Running calls end at least this long before the process does, ms. */
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

const informersOf = (context: Context, client: KubeClient, sources: ReturnType<typeof sourcesOf>): Informers => {
  const informer = <T extends KubeObject>(source: Source<T>) => createInformer({ ...context, client, source });
  return {
    syncs: informer(sources.syncs),
    rollbacks: informer(sources.rollbacks),
    jobs: informer(sources.jobs),
    pods: informer(sources.pods),
    siteLocks: informer(sources.siteLocks),
  };
};

/**
 * Starts the operator and registers its shutdown on the context's lifecycle: nothing is reconciled before all objects are known. Returns the
 * port of health and metrics.
 * @throws RelayError `config_invalid`
 */
export const compose = async (
  context: Context,
  { client, namespace }: OperatorDependencies,
  config: OperatorConfig,
): Promise<{ port: number }> => {
  const { lifecycle, health, log } = context;
  const informers = informersOf(context, client, sourcesOf(client, config.WATCH_NAMESPACE, namespace));
  const recorder = createRecorder({ ...context, client });
  const deps: ReconcileDependencies = {
    client,
    caches: cachesOf(informers, config.WATCH_NAMESPACE),
    clock: context.clock,
    recorder,
    settings: settingsOf(config),
    namespace,
  };
  const controller = (name: string, reconcile: ReturnType<typeof createSyncReconcile>) =>
    createController({ ...context, name, reconcile, concurrency: config.CONCURRENCY });
  const queues = {
    syncs: controller('patrolsync', createSyncReconcile(deps)),
    rollbacks: controller('rollback', createRollbackReconcile(deps)),
  };
  addTriggers(informers, queues);
  const all = Object.values(informers) as readonly Informers['syncs'][];
  health.addReadiness({ name: 'the cluster is known', ok: () => all.every((informer) => informer.synced()) });
  lifecycle.onStop('events', () => recorder.stop(1_000));
  for (const informer of all) lifecycle.onStop('informer', () => informer.stop());
  for (const [resource, informer] of [
    [patrolSyncs, informers.syncs],
    [rollbacks, informers.rollbacks],
  ] as const)
    lifecycle.onStop('counts', countStates({ ...context, resource, informer }));
  for (const queue of Object.values(queues))
    lifecycle.onStop('runs', async () => {
      const left = await queue.stop(config.STOP_GRACE_S * 1_000 - reserveMs);
      if (left > 0) log.warn({ left }, 'runs go on at the end');
    });
  const port = await serveService(context, baseApp(context), config);
  for (const informer of all) informer.start();
  const open = async (): Promise<void> => {
    await Promise.all(all.map((informer) => informer.whenSynced()));
    for (const queue of Object.values(queues)) queue.open();
  };
  void open();
  return { port };
};
