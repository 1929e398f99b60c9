import { chownSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { V1ConfigMap, V1PersistentVolume, V1PersistentVolumeClaim, V1Secret } from '@kubernetes/client-node';
import { patrolSyncs, rollbacks } from '@ranger-relay/operator';
import type { KubeApi, KubeObject, Resource } from '@ranger-relay/operator-kit';
import { freshSite, type SiteSimulator } from '@ranger-relay/simulators';
import { writeDown } from '../harness/diagnose.ts';
import { openNamespace, removeNamespace } from '../harness/namespace.ts';
import type { KubernetesNode } from '../harness/node.ts';

/** Where one life goes on: a namespace with an output volume and a bundle, and a simulated site that has never seen it. */
export interface Place {
  readonly api: KubeApi;
  readonly namespace: string;
  readonly site: SiteSimulator;
  /** Folder of the output volume, as this machine sees it. */
  readonly volume: string;
  /** Makes an object of this place. */
  make<T extends KubeObject>(resource: Resource<T>, name: string, body: Partial<T>): Promise<T>;
  change(resource: Resource, name: string, body: object): Promise<void>;
  /** For whoever looks for the reason of a failure. */
  writeDown(): Promise<void>;
  remove(): Promise<void>;
}

/** What places are opened on. */
export interface Ground {
  readonly node: KubernetesNode;
  readonly api: KubeApi;
  /** Folder of the bundle. */
  readonly bundle: string;
}

const core = <T extends KubeObject>(plural: string, kind: string, namespaced = true): Resource<T> => ({
  group: '',
  version: 'v1',
  plural,
  kind,
  namespaced,
});
const secrets = core<KubeObject<V1Secret>>('secrets', 'Secret');
const configMaps = core<KubeObject<V1ConfigMap>>('configmaps', 'ConfigMap');
const claims = core<KubeObject<V1PersistentVolumeClaim>>('persistentvolumeclaims', 'PersistentVolumeClaim');
const volumes = core<KubeObject<V1PersistentVolume>>('persistentvolumes', 'PersistentVolume', false);

/** Pods of Jobs run as this user. */
const user = 65_532;
const size = { storage: '1Gi' };
const accessModes = ['ReadWriteMany'];

/** There is no provisioner, and there are more lives than the node has volumes. */
const openVolume = async (node: KubernetesNode, { make }: Pick<Place, 'make'>, name: string): Promise<string> => {
  const path = join(dirname(node.env['KUBECONFIG'] ?? ''), 'volumes', name);
  mkdirSync(path);
  chownSync(path, user, user);
  const storageClassName = name;
  const hostPath = { path, type: 'Directory' };
  await make(volumes, name, { spec: { storageClassName, capacity: size, accessModes, hostPath } });
  await make(claims, 'output', { spec: { storageClassName, accessModes, resources: { requests: size } } });
  return path;
};

const filesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

/** Gives a site's token to whoever reads the Secret of a PatrolSync. */
export const giveToken = async ({ make, site }: Pick<Place, 'make' | 'site'>): Promise<void> =>
  void (await make(secrets, 'site', {
    metadata: { name: 'site', annotations: { 'ranger-relay.dev/site-endpoint': site.url } },
    stringData: { token: site.token },
  }));

/** A PatrolSync of a place. */
export const makeSync = (place: Place, name: string, spec: object): Promise<KubeObject> =>
  place.make(patrolSyncs, name, {
    spec: {
      output: { claimName: 'output' },
      site: { endpoint: place.site.url, token: { name: 'site', key: 'token' } },
      ...spec,
    },
  });

/** A PatrolSyncRollback of a place. */
export const makeRollback = (place: Place, name: string, spec: object): Promise<KubeObject> =>
  place.make(rollbacks, name, { spec });

/** Opens a place of this name. */
export const openPlace = async ({ node, api, bundle }: Ground, namespace: string): Promise<Place> => {
  const kubectl = await openNamespace(node, namespace);
  const site = await freshSite({ host: node.host });
  const make = <T extends KubeObject>(resource: Resource<T>, name: string, body: Partial<T>): Promise<T> => {
    const metadata = { ...body.metadata, name, ...(resource.namespaced ? { namespace } : {}) };
    return api.create(resource, { ...body, metadata } as T);
  };
  const volume = await openVolume(node, { make }, namespace);
  await make(configMaps, 'bundle', { data: filesIn(bundle) });
  return {
    api,
    namespace,
    site,
    volume,
    make,
    change: async (resource, name, body) => void (await api.merge(resource, { namespace, name }, body)),
    writeDown: () => writeDown(kubectl),
    async remove() {
      await removeNamespace(node, kubectl.namespace);
      await api.remove(volumes, { name: namespace });
      rmSync(volume, { recursive: true, force: true });
      await site.close();
    },
  };
};
