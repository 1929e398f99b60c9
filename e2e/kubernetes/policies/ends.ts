import { podsOf } from '../charts/invariants/pods.ts';
import type { KubeObject } from '../charts/objects.ts';
import type { End, Policy } from './model.ts';

const namespaceOf = (name: string): NonNullable<End['namespace']> => ({
  name,
  labels: { 'kubernetes.io/metadata.name': name },
});

/** A pod that is not of the release. */
export const podIn = (namespace: string, name: string, labels: End['labels'] = {}): End => ({
  name,
  address: '10.244.1.9',
  namespace: namespaceOf(namespace),
  labels,
});

/** An address outside the cluster. */
export const outsideAt = (address: string): End => ({ name: address, address });

/** The pods of a rendering, by component. */
export const endsOf = (objects: readonly KubeObject[]): Readonly<Record<string, End>> =>
  Object.fromEntries(
    podsOf(objects).map(({ labels, spec }, index) => {
      const name = labels['app.kubernetes.io/component'] ?? '';
      const ports = spec.containers.flatMap((container) => container.ports ?? []);
      const named = Object.fromEntries(ports.map(({ name: port, containerPort }) => [port ?? '', containerPort]));
      const end = { name, address: `10.244.0.${index + 2}`, namespace: namespaceOf('relay'), labels, ports: named };
      return [name, end];
    }),
  );

/** The policies of a rendering. */
export const policiesOf = (objects: readonly KubeObject[]): readonly Policy[] =>
  objects.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as readonly Policy[];
