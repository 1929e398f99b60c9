import type { V1PolicyRule } from '@kubernetes/client-node';
import type { Wire } from '../../harness/wire.ts';
import { at } from '../place.ts';
import type { KubeObject } from '../objects.ts';
import { clusterCallers } from '../services.ts';
import { containersOf, podsOf, titleOf, type Container, type Pod } from './pods.ts';

/** Kinds of volumes that the restricted standard allows. */
const volumeKinds = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

type Wanted = readonly (readonly [path: string, value: unknown])[];

const podWants: Wanted = [
  ['securityContext.runAsNonRoot', true],
  ['securityContext.seccompProfile.type', 'RuntimeDefault'],
  ['hostNetwork', undefined],
  ['hostPID', undefined],
  ['hostIPC', undefined],
];

const containerWants: Wanted = [
  ['securityContext.allowPrivilegeEscalation', false],
  ['securityContext.readOnlyRootFilesystem', true],
  ['securityContext.privileged', undefined],
  ['securityContext.capabilities', { drop: ['ALL'] }],
  ['securityContext.procMount', undefined],
];

const unmet = (title: string, value: unknown, wanted: Wanted): string[] =>
  wanted.flatMap(([path, should]) => {
    const is = JSON.stringify(at(value, path));
    return is === JSON.stringify(should) ? [] : [`${title}: ${path} is ${String(is)}, not ${JSON.stringify(should)}`];
  });

const callsCluster = ({ containers }: Pod['spec']): boolean => containers.every(({ name }) => clusterCallers.has(name));

const podProblems = ({ title, spec }: Pod): string[] => {
  const users = ['runAsUser', 'runAsGroup', 'fsGroup'].map((key) => at(spec, `securityContext.${key}`));
  // Either the pod names all of them, or the cluster gives them all.
  const assigned = users.every((user) => user === undefined);
  const named = users.every((user) => typeof user === 'number' && user >= 10_000);
  const kinds = (spec.volumes ?? []).flatMap((volume) => Object.keys(volume).filter((key) => key !== 'name'));
  return [
    ...unmet(title, spec, [...podWants, ['automountServiceAccountToken', callsCluster(spec)]]),
    ...(assigned || named ? [] : [`${title}: user and groups are ${users.join(', ')}`]),
    ...kinds.filter((kind) => !volumeKinds.has(kind)).map((kind) => `${title}: has a volume of kind ${kind}`),
  ];
};

const containerProblems = ({ title, container }: { title: string; container: Container }): string[] => [
  ...unmet(title, container, containerWants),
  ...(container.ports ?? [])
    .filter(({ hostPort }) => hostPort !== undefined)
    .map(({ hostPort }) => `${title}: takes port ${String(hostPort)} of the node`),
  ...(container.ports ?? [])
    .filter(({ containerPort }) => containerPort < 1_024)
    .map(({ containerPort }) => `${title}: listens on ${containerPort}, which only root may`),
  // A file behind a sub-path never changes when its Secret does.
  ...(container.volumeMounts ?? [])
    .filter(({ subPath }) => subPath !== undefined)
    .map(({ mountPath }) => `${title}: mounts ${mountPath} by a sub-path`),
];

/** Every pod meets the restricted standard literally, and more: one user, nothing but /tmp and volumes to write to, a token only for who needs it. */
export const restrictedPods = (objects: readonly KubeObject[]): string[] =>
  podsOf(objects).flatMap((pod) => podProblems(pod).concat(containersOf(pod).flatMap(containerProblems)));

/** No account gives its token to pods by itself. */
export const quietAccounts = (objects: readonly KubeObject[]): string[] =>
  objects
    .filter(({ kind }) => kind === 'ServiceAccount')
    .flatMap((account) => unmet(titleOf(account), account, [['automountServiceAccountToken', false]]));

/** Verbs by which somebody gets rights that were not given. */
const rising = new Set(['*', 'escalate', 'bind', 'impersonate']);

const grantProblems = ({ apiGroups = [], resources = [], verbs }: Wire<V1PolicyRule>): string[] => [
  ...verbs.filter((verb) => rising.has(verb)).map((verb) => `gives ${verb}`),
  ...[...apiGroups, ...resources].filter((name) => name.includes('*')).map(() => 'gives rights to everything'),
  ...(resources.includes('secrets') && verbs.some((verb) => verb !== 'get') ? ['gives more of Secrets than one'] : []),
  ...(resources.some((name) => /^pods[/]|^roles|^clusterroles|serviceaccounts/.test(name)) ? ['gives a way out'] : []),
];

/** What a role gives is named: no wildcard, no way to more rights, and of Secrets only those whose name is known. */
export const namedRights = (objects: readonly KubeObject[]): string[] =>
  objects
    .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole')
    .flatMap((role) =>
      ((role['rules'] ?? []) as readonly Wire<V1PolicyRule>[])
        .flatMap(grantProblems)
        .map((what) => `${titleOf(role)}: ${what}`),
    );

/** A name that says that its value is nobody's business. */
const secretName = /(?:SECRET|PASSWORD|TOKEN|_KEY|HEADERS)$/;

const plainSecrets = ({ title, container }: { title: string; container: Container }): string[] => [
  ...(container.env ?? [])
    .filter(({ name, value }) => secretName.test(name) && value !== undefined)
    .map(({ name }) => `${title}: ${name} has its value in plain`),
  ...(container.envFrom === undefined ? [] : [`${title}: takes whatever stands in an object as variables`]),
];

/** No secret stands in an object: none is made, and variables only say where one is. */
export const noSecretInPlain = (objects: readonly KubeObject[]): string[] => [
  ...objects
    .filter(({ kind }) => kind === 'Secret')
    .map((secret) => `${titleOf(secret)}: a Secret is made by the chart`),
  ...podsOf(objects).flatMap(containersOf).flatMap(plainSecrets),
];
