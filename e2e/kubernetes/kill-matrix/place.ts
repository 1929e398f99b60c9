import { chownSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type KubeConfig, KubernetesObjectApi, PatchStrategy } from '@kubernetes/client-node';
import { apiVersionOf, type KubeClient, patrolSyncs, type Resource, rollbacks } from '@ranger-relay/operator';
import { freshSite, type SiteSimulator } from '@ranger-relay/simulators';
import { writeDown } from '../harness/diagnose.ts';
import { openNamespace, removeNamespace } from '../harness/namespace.ts';
import type { KubernetesNode } from '../harness/node.ts';

/** A kind of objects. */
export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Where one life goes on: a namespace with an output volume and a bundle, and a simulated site that has never seen it. */
export interface Place {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly site: SiteSimulator;
  /** Folder of the output volume, as this machine sees it. */
  readonly volume: string;
  /** Makes an object of this place. */
  make(kind: Kind, name: string, body: object): Promise<void>;
  change(resource: Resource, name: string, body: object): Promise<void>;
  /** For whoever looks for the reason of a failure. */
  writeDown(): Promise<void>;
  remove(): Promise<void>;
}

/** What places are opened on. */
export interface Ground {
  readonly node: KubernetesNode;
  readonly config: KubeConfig;
  readonly client: KubeClient;
  /** Folder of the bundle. */
  readonly bundle: string;
}

const kindOf = (resource: Resource): Kind => ({ apiVersion: apiVersionOf(resource), kind: resource.kind });
const core = (kind: string): Kind => ({ apiVersion: 'v1', kind });
const volumes = core('PersistentVolume');

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
  await make(core('PersistentVolumeClaim'), 'output', {
    spec: { storageClassName, accessModes, resources: { requests: size } },
  });
  return path;
};

const filesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

/** Gives a site's token to whoever reads the Secret of a PatrolSync. */
export const giveToken = async ({ make, site }: Pick<Place, 'make' | 'site'>): Promise<void> =>
  make(core('Secret'), 'site', {
    metadata: { annotations: { 'ranger-relay.dev/site-endpoint': site.url } },
    stringData: { token: site.token },
  });

/** A PatrolSync of a place. */
export const makeSync = (place: Place, name: string, spec: object): Promise<void> =>
  place.make(kindOf(patrolSyncs), name, {
    spec: {
      output: { claimName: 'output' },
      site: { endpoint: place.site.url, token: { name: 'site', key: 'token' } },
      ...spec,
    },
  });

/** A PatrolSyncRollback of a place. */
export const makeRollback = (place: Place, name: string, spec: object): Promise<void> =>
  place.make(kindOf(rollbacks), name, { spec });

/** Opens a place of this name. */
export const openPlace = async ({ node, config, client, bundle }: Ground, namespace: string): Promise<Place> => {
  const kubectl = await openNamespace(node, namespace);
  const site = await freshSite({ host: node.host });
  const objects = KubernetesObjectApi.makeApiClient(config);
  const inPlace = (kind: Kind, name: string, body: { readonly metadata?: object }) => ({
    ...kind,
    ...body,
    metadata: { ...body.metadata, name, ...(kind === volumes ? {} : { namespace }) },
  });
  const make: Place['make'] = async (kind, name, body) => void (await objects.create(inPlace(kind, name, body)));
  const volume = await openVolume(node, { make }, namespace);
  await make(core('ConfigMap'), 'bundle', { data: filesIn(bundle) });
  return {
    client,
    namespace,
    site,
    volume,
    make,
    change: async (resource, name, body) => {
      const patch = inPlace(kindOf(resource), name, body);
      await objects.patch(patch, undefined, undefined, undefined, undefined, PatchStrategy.MergePatch);
    },
    writeDown: () => writeDown(kubectl),
    async remove() {
      await removeNamespace(node, kubectl.namespace);
      await client.core.deletePersistentVolume({ name: namespace });
      rmSync(volume, { recursive: true, force: true });
      await site.close();
    },
  };
};
