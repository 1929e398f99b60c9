import {
  createHttpTransport,
  createKubeApi,
  kubeConfigAccess,
  type Access,
  type KubeApi,
} from '@ranger-relay/operator-kit';
import { systemClock } from '@ranger-relay/runtime';
import { testContext } from '@ranger-relay/runtime/testing';
import type { KubernetesNode } from './node.ts';

/** The access of the cluster's administrator. */
export const adminAccess = ({ env }: Pick<KubernetesNode, 'env'>): Promise<Access> =>
  kubeConfigAccess({ file: env['KUBECONFIG'] ?? '' });

/** What a controller asks of an API server, and how to end it. */
export const apiAt = (access: Access): { readonly api: KubeApi; readonly close: () => void } => {
  const transport = createHttpTransport({ access, clock: systemClock, userAgent: 'operator/e2e' });
  const { metrics } = testContext();
  return { api: createKubeApi({ transport, metrics }), close: () => transport.close() };
};
