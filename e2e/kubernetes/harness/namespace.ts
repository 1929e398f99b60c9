import { kubectlIn, type Kubectl } from './kubectl.ts';
import type { KubernetesNode } from './node.ts';

/** The strictest of the cluster's standards for pods, enforced. */
const restricted = {
  'pod-security.kubernetes.io/enforce': 'restricted',
  'pod-security.kubernetes.io/warn': 'restricted',
};

/** Removes a namespace with all that is in it, and does not wait for pods to say good-bye. */
export const removeNamespace = async (node: KubernetesNode, name: string): Promise<void> => {
  const kubectl = kubectlIn(node, name);
  await kubectl.run('delete', 'namespace', name, '--ignore-not-found', '--wait=false');
  await kubectl.run('delete', 'pods', '--all', '--grace-period=1', '--wait=false');
  await kubectl.must('wait', '--for=delete', `namespace/${name}`, '--timeout=120s');
};

/** Makes a namespace of this name anew, in which pods must keep the restricted standard. */
export const openNamespace = async (node: KubernetesNode, name: string): Promise<Kubectl> => {
  await removeNamespace(node, name);
  const kubectl = kubectlIn(node, name);
  await kubectl.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: restricted } });
  return kubectl;
};
