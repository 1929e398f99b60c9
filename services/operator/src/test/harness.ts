import type { ExecutionContext } from 'ava';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import { withoutEmpty } from '../api/run-status.ts';
import type { SyncSpec } from '../api/sync-spec.ts';
import type { SyncStatus } from '../api/sync-status.ts';
import type { KubeClient } from '../kube/client.ts';
import type { KubeObject } from '../kube/object.ts';
import type { Caches } from '../reconcile/caches.ts';
import type { ReconcileDependencies } from '../reconcile/dependencies.ts';
import { createRollbackReconcile } from '../reconcile/rollback.ts';
import { createSyncReconcile } from '../reconcile/sync.ts';
import { connect, type Intercept } from '../testing/connect.ts';
import { objectPath, rollbacksOf, startCluster, syncsOf, type Cluster } from './cluster.ts';

/** When the operator dies: before or after its so-manieth call of a run. */
export interface Kill {
  readonly call: number;
  readonly when: 'before' | 'after';
}

/** A cluster with the operator, whose runs are made one by one. */
export interface Harness extends Cluster {
  readonly client: KubeClient;
  readonly now: () => number;
  readonly pass: (ms: number) => void;
  readonly make: (name: string, spec?: Partial<SyncSpec>) => void;
  readonly edit: (name: string, spec: Readonly<Record<string, unknown>>) => void;
  readonly annotate: (name: string, run: string) => void;
  /** Approved whatever it would take back, unless a hash is given. */
  readonly rollBack: (name: string, sync: string, records: readonly string[], approve?: string) => void;
  readonly sync: (name: string) => KubeObject & { readonly status?: SyncStatus };
  /** Calls that the operator made, and began to make, so far. */
  readonly calls: () => number;
  /** One run of the operator for every object, with what it sees. */
  readonly reconcile: (kill?: Kill, caches?: Caches) => Promise<void>;
  /** Lets everything happen until nothing changes any more. */
  readonly settle: () => Promise<void>;
}

const settings = {
  image: 'sync-tool:1',
  pullPolicy: 'IfNotPresent',
  pullSecrets: [],
  serviceAccount: undefined,
  memoryMiB: 512,
  deadlineS: 7_200,
  pod: { env: [], runAsUser: 65_532 },
};

const spec = {
  bundle: { claim: { name: 'bundles' } },
  output: { claimName: 'output' },
  site: { endpoint: 'site.example', token: { name: 'site', key: 'token' } },
  mode: 'apply',
};

/** Ends a process at one of its calls. */
const mortal = (kill: Kill | undefined, onCall: () => void) => {
  let calls = 0;
  let dead = false;
  const die = (when: Kill['when'], call: number): void => {
    dead ||= kill?.call === call && kill.when === when;
    if (dead) throw new Error('this process has ended');
  };
  const intercept: Intercept = async (_, send) => {
    const call = (calls += 1);
    if (!dead) onCall();
    die('before', call);
    const answer = await send();
    die('after', call);
    return answer;
  };
  return { intercept, isDead: () => dead };
};

const quietRounds = 25;
const maxRounds = 600;

/** Starts a world that ends with the test. */
export const startHarness = async (t: Pick<ExecutionContext, 'teardown'>): Promise<Harness> => {
  let time = Date.UTC(2026, 0, 1);
  let calls = 0;
  const now = (): number => time;
  const cluster = await startCluster(t, now);
  const { server } = cluster;
  server.call('POST', objectPath('v1/secrets', 'park'), {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'site', namespace: 'park', labels: { 'ranger-relay.dev/site': 'site.example' } },
    data: { token: 'c2VjcmV0' },
  });
  const make = (collection: string, kind: string, name: string, body: unknown): void => {
    const [apiVersion] = [collection.split('/').slice(0, -1).join('/')];
    server.call('POST', objectPath(collection, 'park'), {
      apiVersion,
      kind,
      metadata: { name, namespace: 'park' },
      spec: body,
    });
  };
  const patch = (name: string, body: unknown): void =>
    void server.call('PATCH', objectPath(syncsOf, 'park', name), body);

  const context = { clock: manualClock(), metrics: testContext().metrics };
  const reconcile: Harness['reconcile'] = async (kill, caches = cluster.caches()) => {
    const { intercept, isDead } = mortal(kill, () => (calls += 1));
    const deps: ReconcileDependencies = {
      client: await connect(server.url, context, intercept),
      caches,
      clock: { now },
      recorder: { record: () => undefined },
      settings,
      namespace: 'operators',
    };
    const runs = [
      ...caches.syncs.values().map(({ metadata }) => [createSyncReconcile, metadata.name] as const),
      ...caches.rollbacks.values().map(({ metadata }) => [createRollbackReconcile, metadata.name] as const),
    ];
    for (const [create, name] of runs)
      try {
        await create(deps)(`park/${name}`);
      } catch (error) {
        if (isDead()) return;
        throw error;
      }
  };

  return {
    ...cluster,
    client: await connect(server.url, context),
    now,
    calls: () => calls,
    pass: (ms) => {
      time += ms;
    },
    make: (name, more = {}) => make(syncsOf, 'PatrolSync', name, { ...spec, ...more }),
    edit: (name, body) => patch(name, { spec: body }),
    annotate: (name, run) => patch(name, { metadata: { annotations: { 'ranger-relay.dev/run': run } } }),
    rollBack: (name, sync, records, approve = 'auto') =>
      make(rollbacksOf, 'PatrolSyncRollback', name, { syncRef: { name: sync }, records, mode: 'apply', approve }),
    sync(name) {
      const object = server.store.get(syncsOf, `park/${name}`);
      return { ...object, status: withoutEmpty(object?.['status']) } as unknown as ReturnType<Harness['sync']>;
    },
    reconcile,
    async settle() {
      let quiet = 0;
      for (let round = 0; quiet < quietRounds; round += 1) {
        if (round > maxRounds) throw new Error('it never settles');
        const before = server.store.version();
        await reconcile();
        cluster.startPods();
        for (const job of cluster.running()) cluster.finish(job, 'ok');
        cluster.sweep();
        quiet = server.store.version() === before ? quiet + 1 : 0;
        time += 60_000;
      }
    },
  };
};
