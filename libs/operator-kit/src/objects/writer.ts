import { isRelayError } from '@ranger-relay/errors';
import { isRecord, type KubeObject } from '../api/object.ts';
import type { CallOptions, KubeApi } from '../api/port.ts';
import { apiVersionOf, type Resource } from '../api/resource.ts';
import { isSameJson } from './same.ts';

/** What became of a status that was to be written. */
export type StatusWrite = 'written' | 'unchanged' | 'gone';

/** Writes objects under one name, which is how the API server tells its fields from those of others. */
export interface Writer {
  /**
   * Server-side apply without force: brings the object to what is given, and takes away what an earlier apply gave and this one does not.
   * @throws RelayError `kube_field_conflict` when another manager owns a field
   */
  apply(resource: Resource, object: KubeObject, options?: CallOptions): Promise<KubeObject>;
  /** Like `apply`, but leaves out the call when everything that is given is there already; what is to be taken away needs `apply`. */
  applyChanged(
    resource: Resource,
    object: KubeObject,
    present: KubeObject | undefined,
    options?: CallOptions,
  ): Promise<KubeObject>;
  /**
   * Writes the whole status of an object over the version that was read, once and only when it changed. An object that was deleted, or made
   * anew under its name, is left alone.
   * @throws RelayError `kube_conflict` when it is another version by now
   */
  writeStatus(resource: Resource, object: KubeObject, status: unknown, options?: CallOptions): Promise<StatusWrite>;
}

/** Whether everything that is wanted is there already; what is there beside it does not matter. Lists must be of equal length. */
export const isContained = (wanted: unknown, present: unknown): boolean => {
  if (Array.isArray(wanted))
    return (
      Array.isArray(present) &&
      wanted.length === present.length &&
      wanted.every((item, at) => isContained(item, present[at]))
    );
  if (!isRecord(wanted)) return Object.is(wanted, present);
  return (
    isRecord(present) &&
    Object.entries(wanted).every(([name, value]) => value === undefined || isContained(value, present[name]))
  );
};

const statusBody = (resource: Resource, { metadata }: KubeObject, status: unknown): KubeObject => {
  const { name, namespace, resourceVersion } = metadata;
  const place = { name, ...(namespace ? { namespace } : {}) };
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    // The version tells an object from a later one of its name: of a status the API server passes over the uid.
    metadata: { ...place, ...(resourceVersion ? { resourceVersion } : {}) },
    status,
  };
};

/** Makes a writer. `fieldManager` is the same for everything that one product writes. */
export const createWriter = (api: KubeApi, fieldManager: string): Writer => {
  const apply: Writer['apply'] = (resource, object, { signal } = {}) =>
    api.apply(resource, object, { fieldManager, signal });
  return {
    apply,
    applyChanged: async (resource, object, present, options) =>
      present && isContained(object, present) ? present : apply(resource, object, options),
    async writeStatus(resource, object, status, { signal } = {}) {
      if (isSameJson(object.status, status)) return 'unchanged';
      const body = statusBody(resource, object, status);
      try {
        // Nobody else writes the status, whatever other names it was written under.
        await api.apply(resource, body, { fieldManager, force: true, subresource: 'status', signal });
        return 'written';
      } catch (error) {
        if (isRelayError(error, 'kube_not_found')) return 'gone';
        if (!isRelayError(error, 'kube_conflict')) throw error;
        const there = await api.find(resource, object.metadata, { signal });
        if (there && there.metadata.uid === object.metadata.uid) throw error;
        return 'gone';
      }
    },
  };
};
