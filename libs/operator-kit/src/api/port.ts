import type { KubeObject, ObjectRef } from './object.ts';
import type { Resource } from './resource.ts';

/** How long a call may be waited for beside its own limit. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Which objects are meant. */
export interface Selection {
  /** All namespaces when left out. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
}

/** A part of a list. */
export interface Page<T extends KubeObject = KubeObject> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** Where the next part begins; undefined at the end. */
  readonly next: string | undefined;
}

/** How objects are applied. */
export interface ApplyOptions extends CallOptions {
  readonly fieldManager: string;
  /** Takes fields over from other managers. */
  readonly force?: boolean;
  readonly subresource?: 'status';
}

/** How an object is deleted. */
export interface RemoveOptions extends CallOptions {
  /** Deletes only the object that has it, never a later one of the same name. */
  readonly uid?: string | undefined;
  /** With a uid: deletes it only as it was seen, never once it has changed. */
  readonly resourceVersion?: string | undefined;
}

/** What a controller asks of the API server. Every call throws RelayError `kube_*`, or the signal's reason once it is aborted. */
export interface KubeApi {
  /** The object, or undefined when it is not there. */
  find<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, options?: CallOptions): Promise<T | undefined>;
  list<T extends KubeObject>(
    resource: Resource<T>,
    selection: Selection & { limit: number; from?: string },
    options?: CallOptions,
  ): Promise<Page<T>>;
  /** Opens the stream of changes after a version, one JSON object a line. The server ends it after `seconds`. */
  watch(
    resource: Resource,
    selection: Selection & { resourceVersion: string; seconds: number },
    options?: CallOptions,
  ): Promise<AsyncIterable<Uint8Array>>;
  /** @throws RelayError `kube_exists` */
  create<T extends KubeObject>(resource: Resource<T>, object: NoInfer<T>, options?: CallOptions): Promise<T>;
  /** Writes the whole object over the version it names. @throws RelayError `kube_conflict` when there is another one by now */
  replace<T extends KubeObject>(resource: Resource<T>, object: NoInfer<T>, options?: CallOptions): Promise<T>;
  /** Server-side apply. @throws RelayError `kube_field_conflict` when others own fields and `force` is not set */
  apply(resource: Resource, object: KubeObject, options: ApplyOptions): Promise<KubeObject>;
  /** A JSON merge patch. */
  merge(resource: Resource, ref: ObjectRef, patch: unknown, options?: CallOptions): Promise<KubeObject>;
  /** False when it was not there, or was another one already. What it owns goes after it. */
  remove(resource: Resource, ref: ObjectRef, options?: RemoveOptions): Promise<boolean>;
}
