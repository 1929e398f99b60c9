import { type Broker, type Cluster, Kafka, type logCreator, logLevel, type SASLOptions } from 'kafkajs';
import { endsWithin, type Logger, systemClock } from '@ranger-relay/runtime';
import { applyKafkajsPatches } from './kafkajs-patches.ts';
import { waits, type KafkaSettings } from './settings.ts';
import { createSockets } from './sockets.ts';

export type { Broker, Cluster };

/** The library logs every failed attempt as an error. The adapter logs failures itself, so it lowers the library's lines to debug level. */
const loggerOf =
  (log: Logger): logCreator =>
  () =>
  ({ log: { message, error, broker, retryCount } }) =>
    log.debug({ error, broker, retryCount }, message);

export interface ClusterOptions {
  readonly settings: KafkaSettings;
  readonly log: Logger;
  /** Logs the library's own lines, which are many, at debug level. */
  readonly verbose?: boolean;
}

/** The library gives its typed connections to the assigners of a consumer, and this consumer does nothing else. */
const clusterOf = (kafka: Kafka): Cluster => {
  let given: Cluster | undefined;
  kafka.consumer({
    groupId: 'unused',
    partitionAssigners: [
      ({ cluster }) => {
        given = cluster;
        return { name: '', version: 0, assign: async () => [], protocol: () => ({ name: '', metadata: Buffer.of() }) };
      },
    ],
    metadataMaxAge: waits.metadataAge,
    allowAutoTopicCreation: false,
    readUncommitted: true,
  });
  if (!given) throw new TypeError('the Kafka library has not made its connections');
  return given;
};

/** Maximum wait for open requests when a client closes, ms: a broker that hangs, or a join that blocks, must not delay the shutdown. */
const lastAnswersMs = 500;

/** Creates a client with its own connections. It connects on first use, and never again after a disconnect. */
export const createCluster = ({ settings, log, verbose = false }: ClusterOptions): Cluster => {
  applyKafkajsPatches();
  const { brokers, clientId, tls, sasl } = settings;
  const sockets = createSockets();
  const cluster = clusterOf(
    new Kafka({
      logLevel: verbose ? logLevel.DEBUG : logLevel.NOTHING,
      logCreator: loggerOf(log),
      socketFactory: sockets.factory,
      brokers: [...brokers],
      clientId,
      ...(tls ? { ssl: { ...tls } } : {}),
      ...(sasl ? { sasl: { ...sasl } as SASLOptions } : {}),
      connectionTimeout: waits.connect,
      authenticationTimeout: waits.request,
      requestTimeout: waits.request,
      enforceRequestTimeout: true,
      retry: waits.retry,
    }),
  );
  const disconnect = cluster.disconnect.bind(cluster);
  cluster.disconnect = async () => {
    const limit = { clock: systemClock, ms: lastAnswersMs, ref: true };
    await endsWithin(
      limit,
      disconnect().catch(() => undefined),
    );
    sockets.end();
  };
  return cluster;
};
