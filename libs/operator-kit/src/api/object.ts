import type { KubernetesObject, V1ObjectMeta } from '@kubernetes/client-node';
import { RelayError } from '@ranger-relay/errors';

/**
 * The JSON form of a type of client-node: times are strings, and members have their API names (`from`, not `_from`). Objects are parsed
 * from JSON without the models of client-node.
 */
export type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : T extends object
      ? { readonly [Name in keyof T as Name extends `_${infer Plain}` ? Plain : Name]: Wire<T[Name]> }
      : T;

/** Any object of a cluster, or one of a type of client-node: `KubeObject<V1Pod>`. Its name is present. */
export type KubeObject<T extends KubernetesObject = KubernetesObject & { spec?: unknown; status?: unknown }> = Omit<
  Wire<T>,
  'metadata'
> & { readonly metadata: Wire<V1ObjectMeta> & { readonly name: string } };

/** Identifies one object: `namespace/name`, or `name` for a cluster-scoped object. */
export type Key = string;

/** The name and namespace of an object. */
export interface ObjectRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** The key of an object. */
export const keyOf = ({ namespace, name }: ObjectRef): Key => (namespace ? `${namespace}/${name}` : name);

/** Parses a key. */
export const refOf = (key: Key): ObjectRef => {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
};

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isOptionalText = (value: unknown): boolean => value === undefined || typeof value === 'string';

/**
 * Checks that a value of a response is an object; its type is that of the requested resource.
 * @throws RelayError `kube_answer_unreadable` when it has no name, or its metadata is malformed
 */
export const asObject = <T extends KubeObject = KubeObject>(value: unknown, target: string): T => {
  const meta = isRecord(value) ? value['metadata'] : undefined;
  const named = isRecord(meta) && typeof meta['name'] === 'string' && meta['name'] !== '';
  const sound = isRecord(meta) && ['namespace', 'uid', 'resourceVersion'].every((name) => isOptionalText(meta[name]));
  if (named && sound) return value as unknown as T;
  throw new RelayError('kube_answer_unreadable', { details: { target, problem: 'an object without a name' } });
};
