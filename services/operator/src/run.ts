import { runProcess, type Context } from '@ranger-relay/runtime';
import { compose } from './compose.ts';
import { operatorEnv, parseOperatorConfig, type OperatorConfig } from './config.ts';
import { loadFromFile, loadFromPod } from './kube/access.ts';
import { createKubeClient } from './kube/client.ts';

/** Access to a cluster from outside of it. */
export interface OutsideOptions {
  readonly kubeconfig: string;
  /** Context of the kubeconfig; default: its current context. */
  readonly context?: string | undefined;
  /** Namespace of the site Leases; default: that of the context. */
  readonly namespace?: string | undefined;
}

const start = async (context: Context, config: OperatorConfig, outside: OutsideOptions | undefined): Promise<void> => {
  const client = await import('./kube/client-node.ts');
  const load = () =>
    outside ? loadFromFile(client, { file: outside.kubeconfig, context: outside.context }) : loadFromPod(client);
  const access = await load();
  const namespace =
    config.OPERATOR_NAMESPACE ?? access.getContextObject(access.currentContext)?.namespace?.trim() ?? 'default';
  const kube = await createKubeClient({ client, load, metrics: context.metrics, clock: context.clock });
  const { port } = await compose(context, { client: kube, namespace }, config);
  context.log.info({ port, namespace }, 'started');
};

/**
 * Runs the operator until a signal or a fatal failure ends it. Resolves with the exit code: 0 after a signal, 1 when it could
 * not start or failed, 2 for an unknown argument.
 * @param outside undefined in a pod, which uses its service account
 */
export const runOperator = (host: NodeJS.Process, outside?: OutsideOptions): Promise<0 | 1 | 2> =>
  runProcess(host, { name: 'operator', args: outside ? [] : host.argv.slice(2), table: operatorEnv }, () => {
    const config = parseOperatorConfig({
      ...host.env,
      ...(outside?.namespace && { OPERATOR_NAMESPACE: outside.namespace }),
    });
    return {
      service: 'operator',
      level: config.LOG_LEVEL,
      graceMs: config.STOP_GRACE_S * 1_000,
      async start(context) {
        await start(context, config, outside);
        return {};
      },
    };
  });
