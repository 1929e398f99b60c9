import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { MetricName, Metrics } from '@ranger-relay/runtime';
import { asObject, isRecord, type KubeObject, type ObjectRef } from './object.ts';
import type { CallOptions, KubeApi, Page, Selection } from './port.ts';
import { pathOf, withKind, type Resource } from './resource.ts';
import type { KubeRequest, KubeTransport } from './transport.ts';

export interface KubeApiOptions {
  readonly transport: KubeTransport;
  readonly metrics: Pick<Metrics<MetricName>, 'count'>;
}

const selectorOf = ({ labelSelector }: Selection): Record<string, string> =>
  labelSelector === undefined ? {} : { labelSelector };

const asPage = <T extends KubeObject>(value: unknown, resource: Resource<T>, target: string): Page<T> => {
  const meta = isRecord(value) ? value['metadata'] : undefined;
  const items = isRecord(value) ? value['items'] : undefined;
  const version = isRecord(meta) ? meta['resourceVersion'] : undefined;
  if (!isRecord(meta) || typeof version !== 'string' || !(Array.isArray(items) || items === null))
    throw new RelayError('kube_answer_unreadable', { details: { target, problem: 'a list without items or version' } });
  const next = meta['continue'];
  return {
    items: (items ?? []).map((item: unknown) => withKind(resource, asObject<T>(item, target))),
    resourceVersion: version,
    next: typeof next === 'string' && next !== '' ? next : undefined,
  };
};

const none = <T>(error: unknown, value: T): T => {
  if (isRelayError(error, 'kube_not_found')) return value;
  throw error;
};

/** Creates the API client on a transport and counts its calls. */
export const createKubeApi = ({ transport, metrics }: KubeApiOptions): KubeApi => {
  const counted = async <T>(verb: string, work: () => Promise<T>): Promise<T> => {
    const count = (outcome: string): void => metrics.count('relay_kube_calls_total', { verb, outcome });
    try {
      const result = await work();
      count('ok');
      return result;
    } catch (error) {
      count(error instanceof RelayError ? error.code : 'aborted');
      throw error;
    }
  };

  const send = <T extends KubeObject>(verb: string, request: KubeRequest): Promise<T> =>
    counted(verb, async () => asObject(await transport.call(request), `${request.method} ${request.path}`));

  return {
    find: <T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, { signal }: CallOptions = {}) =>
      send<T>('get', { method: 'GET', path: pathOf(resource, ref), signal }).catch((error: unknown) =>
        none<T | undefined>(error, undefined),
      ),

    list(resource, { namespace, limit, from, ...selection }, { signal } = {}) {
      const path = pathOf(resource, { namespace });
      const query = {
        ...selectorOf(selection),
        limit: String(limit),
        ...(from === undefined ? {} : { continue: from }),
      };
      return counted('list', async () =>
        asPage(await transport.call({ method: 'GET', path, query, signal }), resource, `GET ${path}`),
      );
    },

    watch(resource, { namespace, resourceVersion, seconds, ...selection }, { signal } = {}) {
      const query = {
        ...selectorOf(selection),
        watch: 'true',
        allowWatchBookmarks: 'true',
        resourceVersion,
        timeoutSeconds: String(seconds),
      };
      return counted('watch', () =>
        transport.open({ method: 'GET', path: pathOf(resource, { namespace }), query, signal }),
      );
    },

    create: <T extends KubeObject>(resource: Resource<T>, object: T, { signal }: CallOptions = {}) =>
      send<T>('create', {
        method: 'POST',
        path: pathOf(resource, { namespace: object.metadata.namespace }),
        body: withKind(resource, object),
        signal,
      }),

    replace: (resource, object, { signal } = {}) =>
      send('update', {
        method: 'PUT',
        path: pathOf(resource, object.metadata),
        body: withKind(resource, object),
        signal,
      }),

    apply: (resource, object, { fieldManager, force = false, subresource, signal }) =>
      send('apply', {
        method: 'PATCH',
        path: pathOf(resource, { ...object.metadata, ...(subresource ? { subresource } : {}) }),
        query: { fieldManager, force: String(force), fieldValidation: 'Strict' },
        // The body is JSON, which is valid YAML.
        contentType: 'application/apply-patch+yaml',
        body: withKind(resource, object),
        signal,
      }),

    merge: (resource, ref, patch, { signal } = {}) =>
      send('patch', {
        method: 'PATCH',
        path: pathOf(resource, ref),
        contentType: 'application/merge-patch+json',
        body: patch,
        signal,
      }),

    remove: (resource, ref, { uid, resourceVersion, signal } = {}) =>
      counted('delete', async () => {
        await transport.call({
          method: 'DELETE',
          path: pathOf(resource, ref),
          body: {
            apiVersion: 'v1',
            kind: 'DeleteOptions',
            propagationPolicy: 'Background',
            ...(uid === undefined ? {} : { preconditions: { uid, resourceVersion } }),
          },
          signal,
        });
        return true;
      }).catch((error: unknown) => (uid && isRelayError(error, 'kube_conflict') ? false : none(error, false))),
  };
};
