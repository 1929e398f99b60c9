import type { KubernetesObject, V1Job, V1Lease, V1ObjectMeta, V1Pod } from '@kubernetes/client-node';

/** The JSON form of a type of client-node, as kubectl and manifests have it: times are text, and members have their API names (`from`, not `_from`). */
export type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : T extends object
      ? { readonly [Name in keyof T as Name extends `_${infer Plain}` ? Plain : Name]: Wire<T[Name]> }
      : T;

/** Any object of a cluster, or one of a type of client-node, with its name. */
export type KubeObject<T extends KubernetesObject = KubernetesObject & { spec?: unknown; status?: unknown }> = Omit<
  Wire<T>,
  'metadata'
> & { readonly metadata: Wire<V1ObjectMeta> & { readonly name: string } };

export type Job = KubeObject<V1Job>;
export type Pod = KubeObject<V1Pod>;
export type Lease = KubeObject<V1Lease>;

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
