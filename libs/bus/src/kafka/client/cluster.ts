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

/** The library logs every failed try as an error; what it means is logged where it is known, so its own lines are for debugging. */
const loggerOf = (log: Logger): unknown =>
  createLogger({
    level: 5,
    logCreator:
      () =>
      ({ log: { message, error, broker, retryCount } }: LibraryLine) =>
        log.debug({ error, broker, retryCount }, message),
  });

const silent = (log: Logger): unknown => createLogger({ level: 0, logCreator: () => () => log.debug });

/** Options of one client. */
export interface ClusterOptions {
  readonly settings: KafkaSettings;
  readonly log: Logger;
  /** Lets the library's own lines through at level debug; they are many. */
  readonly verbose?: boolean;
}

type SocketFactory = (options: object) => Socket;

/** Keeps what is open, so that all of it can be ended, and opens nothing after that. */
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

/** Answers that are awaited get so long when a client ends, ms: a broker that hangs, or a join that blocks, holds nobody up. */
const lastAnswersMs = 500;

/** Makes a client with connections of its own. It connects when it is first used, and never again once it was disconnected. */
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
