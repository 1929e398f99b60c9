import { RelayError } from '@ranger-relay/errors';
import { asObject, isRecord, type KubeObject } from '../api/object.ts';
import { withKind, type Resource } from '../api/resource.ts';
import { statusError } from '../api/status.ts';

/** One event of a watch. */
export type WatchEvent =
  | { readonly type: 'changed' | 'deleted'; readonly object: KubeObject }
  /** No changes up to this version. */
  | { readonly type: 'bookmark'; readonly version: string }
  /** An event of an unknown type. */
  | { readonly type: 'other' };

const unreadable = (target: string, problem: string): RelayError =>
  new RelayError('kube_answer_unreadable', { details: { target, problem } });

const parse = (line: string, target: string): Readonly<Record<string, unknown>> => {
  try {
    const value = JSON.parse(line) as unknown;
    if (isRecord(value)) return value;
  } catch {
    // Reported below.
  }
  throw unreadable(target, 'a line of a watch that is no object');
};

const objectOf = (value: unknown, resource: Resource, target: string): KubeObject => {
  const object = asObject(value, target);
  if (object.metadata.resourceVersion) return withKind(resource, object);
  throw unreadable(target, 'an object without a version');
};

const bookmarkVersion = (value: unknown, target: string): string => {
  const meta = isRecord(value) ? value['metadata'] : undefined;
  const version = isRecord(meta) ? meta['resourceVersion'] : undefined;
  if (typeof version === 'string' && version !== '') return version;
  throw unreadable(target, 'a bookmark without a version');
};

/**
 * Parses one line of a watch.
 * @throws RelayError `kube_answer_unreadable`; for an error event its error, such as `kube_version_gone`
 */
export const readEvent = (line: string, resource: Resource, target: string): WatchEvent => {
  const { type, object } = parse(line, target);
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
      return { type: 'changed', object: objectOf(object, resource, target) };
    case 'DELETED':
      return { type: 'deleted', object: objectOf(object, resource, target) };
    case 'BOOKMARK':
      return { type: 'bookmark', version: bookmarkVersion(object, target) };
    case 'ERROR':
      throw statusError(target, 500, object);
    default:
      return { type: 'other' };
  }
};
