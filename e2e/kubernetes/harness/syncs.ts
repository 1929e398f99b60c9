import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SyncStatus } from '@ranger-relay/operator';
import { openSyncHarness, type SyncHarness } from '../../src/harness/sync.ts';
import { until } from '../../src/harness/until.ts';
import { chartsFolder } from '../charts/render.ts';
import { writeDown } from './diagnose.ts';
import { helmIn, type Helm } from './helm.ts';
import { loadImages } from './images.ts';
import type { Kubectl } from './kubectl.ts';
import { openNamespace, removeNamespace } from './namespace.ts';
import type { KubernetesNode } from './node.ts';
import { podsOf } from './pods.ts';
import { releaseVolume } from './volumes.ts';
import type { KubeObject, Pod } from './wire.ts';

/** Both kinds, as they are asked for. */
export type Kind = 'patrolsync' | 'patrolsyncrollback';

/** An object of either kind; the status of a rollback has the same members. */
export type SyncObject = KubeObject & { readonly status?: SyncStatus };

/** The operator on the cluster, a namespace with objects for it, and a simulated site on this machine. */
export interface Syncs {
  readonly node: KubernetesNode;
  readonly harness: SyncHarness;
  /** Where the objects are. */
  readonly kubectl: Kubectl;
  /** Where the operator is. */
  readonly home: Kubectl;
  readonly helm: Helm;
  /** Installs the operator as its README says, and waits until it is ready. */
  install(): Promise<void>;
  /** A PatrolSync of this site, with more in its spec. */
  objectOf(name: string, spec?: object): object;
  get(kind: Kind, name: string): Promise<SyncObject>;
  change(kind: Kind, name: string, spec: object): Promise<void>;
  /** Waits until the object is in a state, as its condition Ready names it. */
  reaches(kind: Kind, name: string, reason: string): Promise<SyncObject>;
  /** Commands of the Jobs that the objects have, in order. */
  commands(): Promise<readonly string[]>;
  /** The pod of the operator. */
  pod(): Promise<Pod>;
  /** Puts the site back to how it was before anything ran, and deletes all objects. */
  clear(): Promise<void>;
  remove(): Promise<void>;
}

/** Both definitions, which stay when the chart goes. */
export const definitions = ['patrolsyncs', 'patrolsyncrollbacks'].map((plural) => `${plural}.ranger-relay.dev`);

const crds = fileURLToPath(new URL('../../../services/operator/crds', import.meta.url));

/** Installs both definitions alone. */
export const installDefinitions = async (kubectl: Kubectl): Promise<void> => {
  await kubectl.must('apply', '--server-side', '--filename', crds);
  await kubectl.must('wait', '--for=condition=Established', '--timeout=30s', '--filename', crds);
};

/** Makes the Secret with the token of the site. */
export const makeToken = async ({ kubectl, harness }: Pick<Syncs, 'kubectl' | 'harness'>): Promise<void> => {
  await kubectl.must('create', 'secret', 'generic', 'patrol-sync', `--from-literal=token=${harness.site.token}`);
};

const release = 'operator';

/** Token of the site: a word that stands nowhere else. */
const canary = 'canary-5d1c7e90';

/** What an object needs beside it. */
const besideOf = async ({ site, bundle }: SyncHarness, kubectl: Kubectl): Promise<void> => {
  await kubectl.apply(
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'patrol-sync', annotations: { 'ranger-relay.dev/site-endpoint': site.url } },
      stringData: { token: site.token },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'patrol-sync-output' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  );
  await kubectl.must('create', 'configmap', 'patrol-bundle', `--from-file=${bundle}`);
};

const podOf = async (home: Kubectl): Promise<Pod> => {
  const [pod, ...more] = await podsOf(home, 'operator');
  if (pod === undefined || more.length > 0) throw new Error(`there are ${more.length + (pod ? 1 : 0)} pods, not one`);
  return pod;
};

const reasonOf = ({ status, metadata }: SyncObject): string | undefined => {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.observedGeneration === metadata.generation ? ready?.reason : undefined;
};

/** Everything about objects of one namespace. */
const objectsOf = (kubectl: Kubectl): Pick<Syncs, 'get' | 'change' | 'reaches' | 'commands'> => {
  const get = (kind: Kind, name: string): Promise<SyncObject> => kubectl.get<SyncObject>(kind, name);
  return {
    get,
    change: async (kind, name, spec) =>
      void (await kubectl.must('patch', kind, name, '--type=merge', '--patch', JSON.stringify({ spec }))),
    async reaches(kind, name, reason) {
      let last: SyncObject | undefined;
      const there = async (): Promise<boolean> => reasonOf((last = await get(kind, name))) === reason;
      await until(`${kind} ${name} is ${reason}`, there, 180_000, 200).catch((error: unknown) => {
        throw new Error(JSON.stringify(last?.status, undefined, 1), { cause: error });
      });
      return last as SyncObject;
    },
    async commands() {
      const order = ['--sort-by', '.metadata.creationTimestamp'];
      const labels = '{range .items[*]}{.metadata.labels.ranger-relay\\.dev/command}{" "}{end}';
      return (await kubectl.must('get', 'jobs', ...order, '--output', `jsonpath=${labels}`)).trim().split(' ');
    },
  };
};

/** Two namespaces, one for the operator, which is not installed yet, and one for objects, and a site that has never seen a bundle. */
export const openSyncs = async (node: KubernetesNode, namespace: string): Promise<Syncs> => {
  await loadImages(node);
  const [kubectl, home, harness] = await Promise.all([
    openNamespace(node, namespace),
    openNamespace(node, `${namespace}-operator`),
    openSyncHarness(['--contract'], { host: node.host, token: canary }),
  ]);
  const helm = helmIn(node, home.namespace);
  await besideOf(harness, kubectl);
  return {
    node,
    harness,
    kubectl,
    home,
    helm,
    ...objectsOf(kubectl),
    install: async () => {
      const watched = `watchNamespaces={${kubectl.namespace}}`;
      const chart = [release, join(chartsFolder, 'operator'), '--set', watched];
      await helm.must(['install', ...chart, '--wait', '--timeout', '120s']);
    },
    objectOf: (name, spec = {}) => ({
      apiVersion: 'ranger-relay.dev/v1alpha1',
      kind: 'PatrolSync',
      metadata: { name },
      spec: {
        bundle: { configMap: 'patrol-bundle' },
        output: { claimName: 'patrol-sync-output' },
        site: { endpoint: harness.site.url, token: { name: 'patrol-sync', key: 'token' } },
        ...spec,
      },
    }),
    pod: () => podOf(home),
    async clear() {
      await kubectl.must('delete', 'patrolsyncs,patrolsyncrollbacks,jobs', '--all', '--wait');
      harness.reset();
    },
    async remove() {
      await Promise.all([kubectl, home].map(writeDown));
      await helm.run(['uninstall', release, '--wait']);
      await Promise.all([kubectl, home].map((each) => removeNamespace(node, each.namespace)));
      await kubectl.must('delete', 'customresourcedefinitions', '--ignore-not-found', ...definitions);
      await releaseVolume(kubectl);
      await harness.remove();
    },
  };
};
