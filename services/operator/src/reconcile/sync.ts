import { patrolSyncs, runAnnotation } from '../api/group.ts';
import { rollbackSpecSchema, rollbackStatusSchema } from '../api/rollback.ts';
import { readStatus } from '../api/run-status.ts';
import { type SyncSpec, syncSpecSchema } from '../api/sync-spec.ts';
import { type SyncFacts, syncStatusSchema } from '../api/sync-status.ts';
import { type Decision, stalled, type Wanted } from '../decide/decision.ts';
import type { RollbackView, SyncObserved } from '../decide/observed.ts';
import { wantsToUndo } from '../decide/rollback.ts';
import { folderOf } from '../decide/sync-parts.ts';
import { decideSync } from '../decide/sync.ts';
import type { Key, KubeObject } from '../kube/object.ts';
import type { Result } from '../kube/work-queue.ts';
import { execute } from './execute.ts';
import { observe, secretProblemOf } from './observe.ts';
import type { ReconcileDependencies } from './dependencies.ts';

/** View of a rollback for a PatrolSync; undefined when it names another PatrolSync. */
const viewRollback = (sync: KubeObject, object: KubeObject): RollbackView | undefined => {
  const spec = rollbackSpecSchema.safeParse(object.spec).data;
  const { name, namespace, uid = '', deletionTimestamp, generation = 0 } = object.metadata;
  if (!spec || namespace !== sync.metadata.namespace || spec.syncRef.name !== sync.metadata.name) return undefined;
  const status = readStatus(rollbackStatusSchema, object) ?? {};
  return { name, uid, wants: deletionTimestamp === undefined && wantsToUndo(spec, status, generation) };
};

/** Records that rollbacks of a PatrolSync name, relative to the output volume. */
const namedRecords = ({ caches }: ReconcileDependencies, { metadata }: KubeObject): readonly string[] =>
  caches.rollbacks.values().flatMap((object) => {
    const spec = rollbackSpecSchema.safeParse(object.spec).data;
    const mine = object.metadata.namespace === metadata.namespace && spec?.syncRef.name === metadata.name;
    return mine ? spec.records : [];
  });

/** Record to resume, relative to the output volume. */
const recordOf = ({ status }: SyncObserved, job: Wanted): string | undefined =>
  status.lastRun?.number === job.number ? status.lastRun.record : undefined;

const invalid = (object: KubeObject, problem: string): Decision<SyncFacts> => ({
  step: 'Stalled',
  facts: readStatus(syncStatusSchema, object) ?? {},
  status: stalled('InvalidSpec', `The spec cannot be used: ${problem}`),
});

/** Maximum length of the run annotation; the rest is ignored. */
const maxRunLength = 200;

/** Observes a PatrolSync without its Secrets. */
const observeSync = async (deps: ReconcileDependencies, object: KubeObject, spec: SyncSpec) => {
  const status = readStatus(syncStatusSchema, object) ?? {};
  const { name, namespace = '', uid = '', generation = 0, annotations } = object.metadata;
  const target = { resource: patrolSyncs, object, endpoint: spec.site.endpoint, job: status.job };
  const { lease, ...looked } = await observe(deps, target);
  const rollbacks = deps.caches.rollbacks.values().flatMap((each) => viewRollback(object, each) ?? []);
  const run = (annotations?.[runAnnotation] ?? '').slice(0, maxRunLength);
  const now = deps.clock.now();
  const o: SyncObserved = {
    name,
    namespace,
    uid,
    generation,
    run,
    spec,
    status,
    rollbacks,
    now,
    secretProblem: undefined,
    ...looked,
  };
  return { o, lease };
};

/** Creates the reconcile function of PatrolSync objects: each call advances one object by one step. */
export const createSyncReconcile =
  (deps: ReconcileDependencies) =>
  async (key: Key): Promise<Result> => {
    const object = deps.caches.syncs.get(key);
    if (!object || object.metadata.deletionTimestamp !== undefined) return { kind: 'done' };
    const { data: spec, error } = syncSpecSchema.safeParse(object.spec);
    const before = readStatus(syncStatusSchema, object)?.conditions;
    const common = { resource: patrolSyncs, object, before };
    if (!spec) {
      const decision = invalid(object, error?.issues[0]?.message ?? 'it is no object');
      return execute(deps, { ...common, endpoint: '', lease: undefined, command: () => ({}) as never }, decision);
    }
    const { o, lease } = await observeSync(deps, object, spec);
    const first = decideSync(o);
    const { action } = first;
    const needsSecret = action?.kind === 'create' || action?.kind === 'acquireLock';
    const secretProblem = needsSecret
      ? await secretProblemOf(deps.client, object.metadata.namespace ?? '', spec.site)
      : undefined;
    const decision = secretProblem === undefined ? first : decideSync({ ...o, secretProblem });
    const command = (job: Wanted) => ({
      sync: spec,
      folder: folderOf(o, o.status, job),
      record: recordOf(o, job),
      spared: namedRecords(deps, object),
    });
    return execute(deps, { ...common, endpoint: spec.site.endpoint, lease, command }, decision);
  };
