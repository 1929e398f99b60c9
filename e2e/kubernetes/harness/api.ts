import { readFileSync } from 'node:fs';
import { createHttpTransport, createKubeApi, type Access, type KubeApi } from '@ranger-relay/operator-kit';
import { systemClock } from '@ranger-relay/runtime';
import { testContext } from '@ranger-relay/runtime/testing';
import { must } from './call.ts';
import type { KubernetesNode } from './node.ts';

interface KubeConfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }];
}

/** A member of a kubeconfig, in it or in a file that it names. */
const part = (of: Readonly<Record<string, string>>, name: string): Buffer => {
  const { [`${name}-data`]: data, [name]: file } = of;
  return data === undefined ? readFileSync(file ?? '') : Buffer.from(data, 'base64');
};

/** An access without anything to log in with. */
export const openAccess = (server: string): Access => ({
  server,
  namespace: undefined,
  credentials: () => Promise.resolve({ headers: {}, tls: {} }),
  refused: () => undefined,
});

/** The access of the cluster's administrator. */
export const adminAccess = async ({ env }: Pick<KubernetesNode, 'env'>): Promise<Access> => {
  const config = JSON.parse(await must('kubectl', ['config', 'view', '--raw', '--output=json'], { env })) as KubeConfig;
  const [{ cluster }] = config.clusters;
  const [{ user }] = config.users;
  const tls = {
    ca: part(cluster, 'certificate-authority'),
    cert: part(user, 'client-certificate'),
    key: part(user, 'client-key'),
  };
  return { ...openAccess(cluster['server'] ?? ''), credentials: () => Promise.resolve({ headers: {}, tls }) };
};

/** What a controller asks of an API server, and how to end it. */
export const apiAt = (access: Access): { readonly api: KubeApi; readonly close: () => void } => {
  const transport = createHttpTransport({ access, clock: systemClock, userAgent: 'operator/e2e' });
  const { metrics } = testContext();
  return { api: createKubeApi({ transport, metrics }), close: () => transport.close() };
};
