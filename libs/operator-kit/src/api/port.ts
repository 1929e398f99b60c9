import type { KubeObject, ObjectRef } from './object.ts';
import type { Resource } from './resource.ts';

/** Limits of a call in addition to its own timeout. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Selects objects of a resource. */
export interface Selection {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
}

/** One page of a list. */
export interface Page<T extends KubeObject = KubeObject> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** The continue token of the next page; undefined on the last page. */
  readonly next: string | undefined;
}

/** Options of server-side apply. */
export interface ApplyOptions extends CallOptions {
  readonly fieldManager: string;
  /** Takes over fields that other managers own. */
  readonly force?: boolean;
  readonly subresource?: 'status';
}

/** Preconditions of a deletion. */
export interface RemoveOptions extends CallOptions {
  /** Deletes only the object with this uid, never a later one of the same name. */
  readonly uid?: string | undefined;
  /** With a uid: deletes the object only at this version. */
  readonly resourceVersion?: string | undefined;
}

/** The calls of a controller to the API server. Every call throws RelayError `kube_*`, or the signal's reason once it is aborted. */
export interface KubeApi {
  /** Returns the object, or undefined when it does not exist. */
  find<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, options?: CallOptions): Promise<T | undefined>;
  list<T extends KubeObject>(
    resource: Resource<T>,
    selection: Selection & { limit: number; from?: string },
    options?: CallOptions,
  ): Promise<Page<T>>;
  /** Opens the stream of changes after a version, one JSON object per line. The server ends it after `seconds`. */
  watch(
    resource: Resource,
    selection: Selection & { resourceVersion: string; seconds: number },
    options?: CallOptions,
  ): Promise<AsyncIterable<Uint8Array>>;
  /** @throws RelayError `kube_exists` */
  create<T extends KubeObject>(resource: Resource<T>, object: NoInfer<T>, options?: CallOptions): Promise<T>;
  /**
   * Replaces the whole object at the version that it names.
   * @throws RelayError `kube_conflict` when the stored version differs
   */
  replace<T extends KubeObject>(resource: Resource<T>, object: NoInfer<T>, options?: CallOptions): Promise<T>;
  /**
   * Server-side apply.
   * @throws RelayError `kube_field_conflict` when other managers own fields and `force` is not set
   */
  apply(resource: Resource, object: KubeObject, options: ApplyOptions): Promise<KubeObject>;
  /** Sends a JSON merge patch. */
  merge(resource: Resource, ref: ObjectRef, patch: unknown, options?: CallOptions): Promise<KubeObject>;
  /**
   * Deletes an object; Kubernetes deletes its dependents in the background. Returns false when the object does not exist or has another
   * uid.
   */
  remove(resource: Resource, ref: ObjectRef, options?: RemoveOptions): Promise<boolean>;
}
