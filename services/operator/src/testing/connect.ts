import type { KubeConfig, RequestContext, ResponseContext } from '@kubernetes/client-node';
import type { Context } from '@ranger-relay/runtime';
import * as clientNode from '../kube/client-node.ts';
import { createKubeClient, type KubeClient } from '../kube/client.ts';

/** The access to a server without login. */
const openConfig = (server: string): KubeConfig => {
  const config = new clientNode.KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: 'test', server, skipTLSVerify: true }],
    users: [{ name: 'test' }],
    contexts: [{ name: 'test', cluster: 'test', user: 'test' }],
    currentContext: 'test',
  });
  return config;
};

/** Stands between a process and the API server: sends a request, or fails in its place. */
export type Intercept = (request: RequestContext, send: () => Promise<ResponseContext>) => Promise<ResponseContext>;

/** Connects the client of the operator to a cluster, or to a server without login. */
export const connect = (
  access: string | KubeConfig,
  { clock, metrics }: Pick<Context, 'clock' | 'metrics'>,
  intercept: Intercept = (_, send) => send(),
): Promise<KubeClient> => {
  const config = typeof access === 'string' ? openConfig(access) : access;
  class Library extends clientNode.IsomorphicFetchHttpLibrary {
    override send(request: RequestContext): ReturnType<clientNode.IsomorphicFetchHttpLibrary['send']> {
      const sent = (): Promise<ResponseContext> => intercept(request, () => super.send(request).toPromise());
      return { toPromise: sent } as ReturnType<clientNode.IsomorphicFetchHttpLibrary['send']>;
    }
  }
  const client = { ...clientNode, IsomorphicFetchHttpLibrary: Library };
  return createKubeClient({ client, load: () => Promise.resolve(config), clock, metrics });
};
