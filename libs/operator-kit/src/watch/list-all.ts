import { RelayError } from '@ranger-relay/errors';
import type { KubeObject } from '../api/object.ts';
import type { CallOptions, KubeApi, Selection } from '../api/port.ts';
import { pathOf, type Resource } from '../api/resource.ts';

const pageSize = 250;

/**
 * Lists all selected objects, page by page, at one version.
 * @throws RelayError `kube_*`: `kube_version_gone` when the server no longer has that version, `kube_list_too_long` beyond `limit` objects
 */
export const listAll = async <T extends KubeObject>(
  api: KubeApi,
  resource: Resource<T>,
  { limit, ...selection }: Selection & { limit: number },
  options: CallOptions = {},
): Promise<{ items: T[]; resourceVersion: string }> => {
  const items: T[] = [];
  let from: string | undefined;
  for (;;) {
    const page = await api.list(resource, { ...selection, limit: pageSize, ...(from ? { from } : {}) }, options);
    items.push(...page.items);
    if (items.length > limit)
      throw new RelayError('kube_list_too_long', { details: { target: `GET ${pathOf(resource, selection)}`, limit } });
    if (page.next === undefined) return { items, resourceVersion: page.resourceVersion };
    from = page.next;
  }
};
