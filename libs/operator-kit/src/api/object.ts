import { RelayError } from '@ranger-relay/errors';

/** Who an object belongs to. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** What every object says about itself; times are RFC 3339 in UTC. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  /** Changes with every change of the object. */
  readonly resourceVersion?: string;
  /** Counts the changes of what is wanted (spec). */
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
}

/** Any object of a cluster. Its own members are known to whoever reads it. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly [member: string]: unknown;
}

/** Names one object: `namespace/name`, or `name` where there are no namespaces. */
export type Key = string;

/** Where an object is. */
export interface ObjectRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** The key of an object. */
export const keyOf = ({ namespace, name }: ObjectRef): Key => (namespace ? `${namespace}/${name}` : name);

/** The place that a key names. */
export const refOf = (key: Key): ObjectRef => {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
};

/** True for anything that has members. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A member of a member of what may be an object; undefined where one is missing. */
export const memberOf = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((found, name) => (isRecord(found) ? found[name] : undefined), value);

const isOptionalText = (value: unknown): boolean => value === undefined || typeof value === 'string';

/**
 * An answer's value as an object.
 * @throws RelayError `kube_answer_unreadable` when it has no name, or says what it is in a way that cannot be trusted
 */
export const asObject = (value: unknown, target: string): KubeObject => {
  const meta = isRecord(value) ? value['metadata'] : undefined;
  const named = isRecord(meta) && typeof meta['name'] === 'string' && meta['name'] !== '';
  const sound = isRecord(meta) && ['namespace', 'uid', 'resourceVersion'].every((name) => isOptionalText(meta[name]));
  if (named && sound) return value as unknown as KubeObject;
  throw new RelayError('kube_answer_unreadable', { details: { target, problem: 'an object without a name' } });
};
