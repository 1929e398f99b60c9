import { hostname } from 'node:os';
import {
  createHttpTransport,
  createKubeApi,
  inClusterAccess,
  kubeConfigAccess,
  type Access,
} from '@ranger-relay/operator-kit';
import { runProcess, type Context } from '@ranger-relay/runtime';
import { compose } from './compose.ts';
import { operatorEnv, parseOperatorConfig, type OperatorConfig } from './config.ts';

const version = '0.1.0';

const start = async (context: Context, config: OperatorConfig, access: Access): Promise<void> => {
  const { clock, random, metrics, lifecycle, log } = context;
  const transport = createHttpTransport({ access, clock, userAgent: `ranger-relay-operator/${version}` });
  lifecycle.onStop('connections', () => transport.close());
  const api = createKubeApi({ transport, metrics });
  const namespace = config.OPERATOR_NAMESPACE ?? access.namespace ?? 'default';
  const identity = `${hostname()}-${random.uuid()}`;
  const { port } = await compose(context, { api, namespace, identity }, config);
  log.info({ port, namespace }, 'started');
};

/** Access to a cluster from outside of it. */
export interface OutsideOptions {
  readonly kubeconfig: string;
  /** Context of the kubeconfig; default: its current context. */
  readonly context?: string | undefined;
  /** Namespace of the Leases; default: that of the context. */
  readonly namespace?: string | undefined;
}

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
        const access = outside
          ? await kubeConfigAccess({ file: outside.kubeconfig, context: outside.context })
          : await inClusterAccess({ environment: host.env, clock: context.clock });
        await start(context, config, access);
        return {};
      },
    };
  });
