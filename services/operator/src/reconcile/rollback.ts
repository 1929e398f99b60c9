import { keyOf, refOf, type Key, type KubeObject, type Result } from '@ranger-relay/operator-kit';
import { rollbacks } from '../api/group.ts';
import { rollbackSpecSchema, rollbackStatusSchema } from '../api/rollback.ts';
import { readStatus } from '../api/run-status.ts';
import { syncSpecSchema } from '../api/sync-spec.ts';
import { syncStatusSchema } from '../api/sync-status.ts';
import { objectFolder } from '../decide/names.ts';
import type { RollbackObserved } from '../decide/observed.ts';
import { decideRollback } from '../decide/rollback.ts';
import { carryOut } from './carry-out.ts';
import { observe, secretProblemOf } from './observe.ts';
import type { ReconcileDependencies } from './parts.ts';

/** The PatrolSync that a rollback names; undefined when it does not exist or is invalid. */
const syncOf = ({ caches }: ReconcileDependencies, namespace: string | undefined, name: string) => {
  const object = caches.syncs.get(keyOf({ namespace, name }));
  const spec = object && syncSpecSchema.safeParse(object.spec).data;
  if (!object || !spec) return undefined;
  const { rolledBack, job } = readStatus(syncStatusSchema, object) ?? {};
  return { spec, folder: objectFolder(name, object.metadata.uid ?? ''), rolledBack, job };
};

const observeRollback = (parts: ReconcileDependencies, object: KubeObject, signal: AbortSignal) => {
  const spec = rollbackSpecSchema.safeParse(object.spec).data;
  const status = readStatus(rollbackStatusSchema, object) ?? {};
  const { name, namespace = '', uid = '', generation = 0 } = object.metadata;
  const sync = spec && syncOf(parts, namespace, spec.syncRef.name);
  const target = { resource: rollbacks, object, endpoint: sync?.spec.site.endpoint, job: status.job };
  const aside = sync && { folder: sync.folder, stepsAside: sync.rolledBack?.uid === uid && sync.job === undefined };
  return observe(parts, target, signal).then(({ lease, ...looked }) => ({
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
      now: parts.clock.now(),
      secretProblem: undefined,
      ...looked,
    },
  }));
};

/** Creates the reconcile function of PatrolSyncRollback objects: each call advances one object by one step. */
export const createRollbackReconcile =
  (parts: ReconcileDependencies) =>
  async (key: Key, signal: AbortSignal): Promise<Result> => {
    const object = parts.caches.rollbacks.get(key);
    if (!object || object.metadata.deletionTimestamp !== undefined) return { kind: 'done' };
    const { lease, sync, status, spec, o: seen } = await observeRollback(parts, object, signal);
    if (!spec) return { kind: 'done' };
    const o: RollbackObserved = { ...seen, spec };
    const first = decideRollback(o);
    const needsSecret = sync && (first.action?.kind === 'create' || first.action?.kind === 'take');
    const secretProblem = needsSecret
      ? await secretProblemOf(parts.api, refOf(key).namespace, sync.spec.site, signal)
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
    return carryOut(parts, actor, decision, signal);
  };
