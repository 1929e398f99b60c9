import { at } from '../place.ts';
import type { KubeObject } from '../objects.ts';
import { podsOf, titleOf } from './pods.ts';

const wanted = ['name', 'instance', 'component', 'part-of', 'version'].map((key) => `app.kubernetes.io/${key}`);

/** They live where the operator of the brokers looks. */
const elsewhere = new Set(['KafkaTopic', 'KafkaUser']);

/** They belong to the whole cluster. */
const ofCluster = new Set([
  'ClusterRole',
  'ClusterRoleBinding',
  'CustomResourceDefinition',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
]);

/** Rights are given where they hold, which may be another namespace. */
const rights = new Set(['Role', 'RoleBinding']);

const label = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?';
const fits = new RegExp(`^${label}$`);
const fitsDefinition = new RegExp(`^${label}(?:[.]${label})+$`);

const isName = ({ kind, metadata: { name } }: KubeObject): boolean =>
  (kind === 'CustomResourceDefinition' ? fitsDefinition : fits).test(name);

/** Whether an object is where its kind has to be. */
const isInPlace = ({ kind, metadata: { namespace } }: KubeObject): boolean => {
  if (ofCluster.has(kind)) return namespace === undefined;
  return namespace === 'relay' || elsewhere.has(kind) || (rights.has(kind) && namespace !== undefined);
};

/** Every object and pod says what it is and whose. */
export const labelled = (objects: readonly KubeObject[]): string[] => [
  ...objects.flatMap((object) =>
    [...wanted, ...(object.kind === 'Pod' ? [] : ['app.kubernetes.io/managed-by'])]
      .filter((label) => object.metadata.labels?.[label] === undefined)
      .map((label) => `${titleOf(object)}: has no label ${label}`),
  ),
  ...podsOf(objects).flatMap(({ title, labels }) =>
    wanted.filter((label) => labels[label] === undefined).map((label) => `${title}: its pods have no label ${label}`),
  ),
];

/** Labels that change with each version stand in no selector: selectors never change. */
export const steadySelectors = (objects: readonly KubeObject[]): string[] =>
  objects.flatMap((object) =>
    ['spec.selector.matchLabels', 'spec.podSelector.matchLabels', 'spec.selector']
      .flatMap((path) => Object.keys((at(object, path) as object | undefined) ?? {}))
      .filter((key) => key.endsWith('/version') || key === 'helm.sh/chart')
      .map((key) => `${titleOf(object)}: selects by ${key}`),
  );

/** Names are names, each once, and in the namespace of the release where they are in one. */
export const uniqueNames = (objects: readonly KubeObject[]): string[] => {
  const titles = objects.map((object) =>
    [object.apiVersion, titleOf(object), object.metadata.namespace].filter(Boolean).join(' '),
  );
  return [
    ...titles.filter((title, index) => titles.indexOf(title) !== index).map((title) => `${title}: is there twice`),
    ...objects.filter((object) => !isName(object)).map((object) => `${titleOf(object)}: is no name`),
    ...objects
      .filter((object) => !isInPlace(object))
      .map((object) => `${titleOf(object)}: is in namespace ${String(object.metadata.namespace)}`),
  ];
};
