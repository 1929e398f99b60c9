import * as clientNode from '@kubernetes/client-node';
import { createKubeClient, type KubeClient } from '@ranger-relay/operator';
import { systemClock } from '@ranger-relay/runtime';
import { testContext } from '@ranger-relay/runtime/testing';
import type { KubernetesNode } from './node.ts';

/** The access of the cluster's administrator. */
export const adminConfig = ({ env }: Pick<KubernetesNode, 'env'>): clientNode.KubeConfig => {
  const config = new clientNode.KubeConfig();
  config.loadFromFile(env['KUBECONFIG'] ?? '');
  return config;
};

/** What the operator asks of an API server, with this access. */
export const clientOf = (config: clientNode.KubeConfig): Promise<KubeClient> =>
  createKubeClient({
    client: clientNode,
    load: () => Promise.resolve(config),
    clock: systemClock,
    metrics: testContext().metrics,
  });
