import { hostname } from 'node:os';
import { createHttpTransport, createKubeApi, inClusterAccess, type Access } from '@ranger-relay/operator-kit';
import { runProcess, type Context } from '@ranger-relay/runtime';
import { compose } from './compose.ts';
import { parseOperatorConfig, type OperatorConfig } from './config.ts';

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

/**
 * Runs the operator until a signal or a fatal failure ends it. Resolves with the exit code: 0 after a signal, 1 when it could
 * not start or failed.
 */
export const runOperator = (host: NodeJS.Process): Promise<0 | 1> =>
  runProcess(host, () => {
    const config = parseOperatorConfig(host.env);
    return {
      service: 'operator',
      level: config.LOG_LEVEL,
      graceMs: config.STOP_GRACE_S * 1_000,
      async start(context) {
        await start(context, config, await inClusterAccess({ environment: host.env, clock: context.clock }));
        return {};
      },
    };
  });
