import { hostname } from 'node:os';
import { toRelayError } from '@ranger-relay/errors';
import { createHttpTransport, createKubeApi, inClusterAccess, type Access } from '@ranger-relay/operator-kit';
import { createContext, lineWriter, type Context } from '@ranger-relay/runtime';
import { endOfLife, endSignal, unexpectedFailure } from '@ranger-relay/service';
import { compose } from './compose.ts';
import { parseOperatorConfig, type OperatorConfig } from './config.ts';

const version = '0.1.0';

/** A process that does not come to its end in time is ended; whoever leads next goes on from what is written down. */
const stop = async ({ health, lifecycle, clock, log }: Context, graceMs: number): Promise<void> => {
  health.drain();
  const late = Promise.withResolvers<void>();
  const timer = clock.after(graceMs, () => {
    log.error({ graceMs }, 'the end took too long');
    late.resolve();
  });
  await Promise.race([lifecycle.stop(), late.promise]);
  timer.cancel();
};

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
 * Runs the operator until a signal ends it or it can do its work no more. Resolves with the exit code: 0 after a signal, 1 when it could
 * not start or failed.
 */
export const runOperator = async (host: NodeJS.Process): Promise<0 | 1> => {
  const ended = endSignal(host);
  let context: Context | undefined;
  let graceMs = 0;
  try {
    const config = parseOperatorConfig(host.env);
    graceMs = config.STOP_GRACE_S * 1_000;
    context = createContext({ service: 'operator', level: config.LOG_LEVEL });
    const failed = unexpectedFailure(host, context.log, () => false);
    await start(context, config, await inClusterAccess({ environment: host.env, clock: context.clock }));
    const { code, why } = await Promise.race([ended, failed, endOfLife([context])]);
    context.log[code === 0 ? 'info' : 'fatal']({ why }, 'stopping');
    await stop(context, graceMs);
    return code;
  } catch (thrown) {
    const error = toRelayError(thrown);
    if (context) {
      context.log.fatal({ err: error }, 'the service could not start');
      await stop(context, graceMs);
    } else lineWriter(host.stderr)(`${error.message}\n`);
    return 1;
  }
};
