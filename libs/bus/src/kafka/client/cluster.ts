import type { Socket } from 'node:net';
import type { Broker, Cluster } from 'kafkajs';
import { endsWithin, type Logger, systemClock } from '@ranger-relay/runtime';
// @ts-expect-error the client publishes no types for its inner parts
import ClusterClass from 'kafkajs/src/cluster/index.js';
// @ts-expect-error as above
import { createLogger } from 'kafkajs/src/loggers/index.js';
// @ts-expect-error as above
import createSocketFactory from 'kafkajs/src/network/socketFactory.js';
import { applyKafkajsPatches } from './kafkajs-patches.ts';
import { waits, type KafkaSettings } from './settings.ts';

export type { Broker, Cluster };

interface LibraryLine {
  readonly log: { readonly message: string; readonly [field: string]: unknown };
}

/** The library logs every failed attempt as an error. The adapter logs failures itself, so it lowers the library's lines to debug level. */
const loggerOf = (log: Logger): unknown =>
  createLogger({
    level: 5,
    logCreator:
      () =>
      ({ log: { message, error, broker, retryCount } }: LibraryLine) =>
        log.debug({ error, broker, retryCount }, message),
  });

const silent = (log: Logger): unknown => createLogger({ level: 0, logCreator: () => () => log.debug });

export interface ClusterOptions {
  readonly settings: KafkaSettings;
  readonly log: Logger;
  /** Logs the library's own lines, which are many, at debug level. */
  readonly verbose?: boolean;
}

type SocketFactory = (options: object) => Socket;

/** Tracks the open sockets, so that `end` can close all of them; opens no socket after that. */
const trackSockets = (): { readonly factory: SocketFactory; end(): void } => {
  const open = createSocketFactory() as SocketFactory;
  const sockets = new Set<Socket>();
  let ended = false;
  return {
    factory: (options) => {
      if (ended) throw new Error('the client is closed');
      const socket = open(options);
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
    end() {
      ended = true;
      for (const socket of sockets) socket.destroy(new Error('the client is closed'));
    },
  };
};

/** Maximum wait for open requests when a client closes, ms: a broker that hangs, or a join that blocks, must not delay the shutdown. */
const lastAnswersMs = 500;

/** Creates a client with its own connections. It connects on first use, and never again after a disconnect. */
export const createCluster = ({ settings, log, verbose = false }: ClusterOptions): Cluster => {
  applyKafkajsPatches();
  const { brokers, clientId, tls, sasl } = settings;
  const sockets = trackSockets();
  const cluster = new ClusterClass({
    logger: verbose ? loggerOf(log) : silent(log),
    socketFactory: sockets.factory,
    brokers: [...brokers],
    clientId,
    ...(tls ? { ssl: { ...tls } } : {}),
    ...(sasl ? { sasl: { ...sasl } } : {}),
    connectionTimeout: waits.connect,
    authenticationTimeout: waits.request,
    requestTimeout: waits.request,
    enforceRequestTimeout: true,
    metadataMaxAge: waits.metadataAge,
    retry: waits.retry,
    allowAutoTopicCreation: false,
    isolationLevel: 0,
  }) as Cluster;
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
