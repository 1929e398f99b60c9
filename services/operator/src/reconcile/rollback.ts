import { rollbacks } from '../api/group.ts';
import { rollbackSpecSchema, rollbackStatusSchema } from '../api/rollback.ts';
import { readStatus } from '../api/run-status.ts';
import { syncSpecSchema } from '../api/sync-spec.ts';
import { syncStatusSchema } from '../api/sync-status.ts';
import { objectFolder } from '../decide/names.ts';
import type { RollbackObserved } from '../decide/observed.ts';
import { decideRollback } from '../decide/rollback.ts';
import { type Key, keyOf, type KubeObject } from '../kube/object.ts';
import type { Result } from '../kube/work-queue.ts';
import { execute } from './execute.ts';
import { observe, secretProblemOf } from './observe.ts';
import type { ReconcileDependencies } from './dependencies.ts';

/** The PatrolSync that a rollback names; undefined when it does not exist or is invalid. */
const syncOf = ({ caches }: ReconcileDependencies, namespace: string | undefined, name: string) => {
  const object = caches.syncs.get(keyOf({ namespace, name }));
  const spec = object && syncSpecSchema.safeParse(object.spec).data;
  if (!object || !spec) return undefined;
  const { rolledBack, job } = readStatus(syncStatusSchema, object) ?? {};
  return { spec, folder: objectFolder(name, object.metadata.uid ?? ''), rolledBack, job };
};

const observeRollback = (deps: ReconcileDependencies, object: KubeObject) => {
  const spec = rollbackSpecSchema.safeParse(object.spec).data;
  const status = readStatus(rollbackStatusSchema, object) ?? {};
  const { name, namespace = '', uid = '', generation = 0 } = object.metadata;
  const sync = spec && syncOf(deps, namespace, spec.syncRef.name);
  const target = { resource: rollbacks, object, endpoint: sync?.spec.site.endpoint, job: status.job };
  const aside = sync && { folder: sync.folder, stepsAside: sync.rolledBack?.uid === uid && sync.job === undefined };
  return observe(deps, target).then(({ lease, ...looked }) => ({
    lease,
    sync,
    status,
    spec,
    o: {
      name,
      namespace,
      uid,
      generation,
      status,
      sync: aside,
      now: deps.clock.now(),
      secretProblem: undefined,
      ...looked,
    },
  }));
};

/** Creates the reconcile function of PatrolSyncRollback objects: each call advances one object by one step. */
export const createRollbackReconcile =
  (deps: ReconcileDependencies) =>
  async (key: Key): Promise<Result> => {
    const object = deps.caches.rollbacks.get(key);
    if (!object || object.metadata.deletionTimestamp !== undefined) return { kind: 'done' };
    const { lease, sync, status, spec, o: seen } = await observeRollback(deps, object);
    if (!spec) return { kind: 'done' };
    const o: RollbackObserved = { ...seen, spec };
    const first = decideRollback(o);
    const needsSecret = sync && (first.action?.kind === 'create' || first.action?.kind === 'acquireLock');
    const secretProblem = needsSecret
      ? await secretProblemOf(deps.client, object.metadata.namespace ?? '', sync.spec.site)
      : undefined;
    const decision = secretProblem === undefined ? first : decideRollback({ ...o, secretProblem });
    const actor = {
      resource: rollbacks,
      object,
      before: status.conditions,
      endpoint: sync?.spec.site.endpoint ?? '',
      lease,
      command: () => ({ sync: (sync as NonNullable<typeof sync>).spec, folder: o.sync?.folder ?? '', undo: spec }),
    };
    return execute(deps, actor, decision);
  };
