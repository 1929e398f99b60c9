import type { ExecutionContext } from 'ava';
import type { KubeApi, KubeObject } from '@ranger-relay/operator-kit';
import { withoutEmpty } from '../api/run-status.ts';
import type { SyncSpec } from '../api/sync-spec.ts';
import type { SyncStatus } from '../api/sync-status.ts';
import type { Caches } from '../reconcile/sources.ts';
import type { ReconcileDependencies } from '../reconcile/parts.ts';
import { createRollbackReconcile } from '../reconcile/rollback.ts';
import { createSyncReconcile } from '../reconcile/sync.ts';
import { objectPath, rollbacksOf, startCluster, syncsOf, type Cluster } from './cluster.ts';

/** When the operator dies: before or after its so-manieth call of a run. */
export interface Kill {
  readonly call: number;
  readonly when: 'before' | 'after';
}

/** A cluster with the operator, whose runs are made one by one. */
export interface Harness extends Cluster {
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

class Killed extends Error {}

const methods = ['find', 'create', 'replace', 'apply', 'merge', 'remove'] as const;

/** An API that ends the process of the operator at one of its calls. */
const mortal = (api: KubeApi, kill: Kill | undefined, onCall: () => void): KubeApi => {
  let calls = 0;
  const wrapped = (name: (typeof methods)[number]) =>
    (async (...args: readonly unknown[]) => {
      calls += 1;
      onCall();
      if (kill?.call === calls && kill.when === 'before') throw new Killed();
      const result = await (api[name] as (...all: readonly unknown[]) => Promise<unknown>)(...args);
      if (kill?.call === calls && kill.when === 'after') throw new Killed();
      return result;
    }) as never;
  return { ...api, ...Object.fromEntries(methods.map((name) => [name, wrapped(name)])) };
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

  const reconcile: Harness['reconcile'] = async (kill, caches = cluster.caches()) => {
    const parts: ReconcileDependencies = {
      api: mortal(cluster.api, kill, () => {
        calls += 1;
      }),
      caches,
      clock: { now },
      recorder: { record: () => undefined },
      settings,
      namespace: 'operators',
    };
    const signal = new AbortController().signal;
    const runs = [
      ...caches.syncs.values().map(({ metadata }) => [createSyncReconcile, metadata.name] as const),
      ...caches.rollbacks.values().map(({ metadata }) => [createRollbackReconcile, metadata.name] as const),
    ];
    for (const [create, name] of runs)
      try {
        await create(parts)(`park/${name}`, signal);
      } catch (error) {
        if (error instanceof Killed) return;
        throw error;
      }
  };

  return {
    ...cluster,
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
