import type { Socket } from 'node:net';
// @ts-expect-error the client publishes no types for its inner parts
import Connection from 'kafkajs/src/network/connection.js';
// @ts-expect-error as above
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
// @ts-expect-error as above
import metadataRequests from 'kafkajs/src/protocol/requests/metadata/index.js';

interface Queue {
  readonly pending: readonly unknown[];
  readonly throttledUntil: number;
}

/** The library re-arms a timer of 1 ms for each connection without end; this patch stops it while nothing waits to be sent. */
const patchIdleLoop = (): void => {
  const prototype = RequestQueue.prototype as { scheduleCheckPendingRequests: (this: Queue) => void };
  const arm = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function (this: Queue) {
    if (this.pending.length > 0 || this.throttledUntil > Date.now()) arm.call(this);
  };
};

interface TimedQueue {
  readonly enforceRequestTimeout: boolean;
  readonly inflight: ReadonlyMap<number, TimedRequest>;
  readonly isConnected: () => boolean;
}

interface TimedRequest {
  readonly sentAt: number;
  readonly requestTimeout: number;
  timeoutRequest(): void;
}

const timeoutCheckMs = 500;
const timedQueues = new Set<TimedQueue>();
let timeoutCheck: NodeJS.Timeout | undefined;

const endLateRequests = (): void => {
  for (const queue of timedQueues) {
    for (const request of queue.inflight.values())
      if (Date.now() - request.sentAt > request.requestTimeout) request.timeoutRequest();
    if (!queue.isConnected()) timedQueues.delete(queue);
  }
  if (timedQueues.size > 0) return;
  clearInterval(timeoutCheck);
  timeoutCheck = undefined;
};

/** The library looks for late requests ten times a second for each connection; twice a second for all connections together is enough. */
const patchTimeoutCheck = (): void => {
  const prototype = RequestQueue.prototype as {
    scheduleRequestTimeoutCheck: (this: TimedQueue) => void;
    destroy: (this: TimedQueue) => void;
  };
  prototype.scheduleRequestTimeoutCheck = function (this: TimedQueue) {
    if (!this.enforceRequestTimeout) return;
    timedQueues.add(this);
    // After the answers that have arrived were read: the process may have stood still.
    timeoutCheck ??= setInterval(() => setImmediate(endLateRequests), timeoutCheckMs);
  };
  const { destroy } = prototype;
  prototype.destroy = function (this: TimedQueue) {
    timedQueues.delete(this);
    destroy.call(this);
  };
};

/** A connection of the library. It outlives its sockets, one after the other. */
interface SocketOwner {
  readonly socket?: Socket;
  /** The start of a response that has not arrived whole. */
  chunks: readonly Buffer[];
  bytesBuffered: number;
  bytesNeeded: number;
}

interface ConnectionPrototype {
  connect(this: SocketOwner): Promise<unknown>;
  disconnect(this: SocketOwner): Promise<unknown>;
  rejectRequests(this: SocketOwner, error: Error): void;
}

const lengthBytes = 4;

/** Calls of one connection that are made meanwhile share the promise. */
const shared = (call: (connection: SocketOwner) => Promise<unknown>) => {
  const running = new WeakMap<SocketOwner, Promise<unknown>>();
  const of = (connection: SocketOwner): Promise<unknown> => {
    const made = running.get(connection) ?? call(connection).finally(() => running.delete(connection));
    running.set(connection, made);
    return made;
  };
  return { of, running };
};

/**
 * In the library, each request that finds a broken connection opens a socket of its own, and the end of one closes the others: here a connection
 * has one socket, which is gone before the next one is opened, with its late errors and the part of a response that it has received.
 */
const patchSockets = (): void => {
  const prototype = Connection.prototype as ConnectionPrototype;
  const { connect, disconnect, rejectRequests } = prototype;
  const disconnects = shared(async (connection) => {
    const { socket } = connection;
    await disconnect.call(connection);
    socket?.destroy();
    connection.chunks = [];
    connection.bytesBuffered = 0;
    connection.bytesNeeded = lengthBytes;
  });
  const connects = shared(async (connection) => {
    await disconnects.running.get(connection);
    return connect.call(connection);
  });
  prototype.connect = function (this: SocketOwner) {
    return connects.of(this);
  };
  prototype.disconnect = function (this: SocketOwner) {
    return disconnects.of(this);
  };
  prototype.rejectRequests = function (this: SocketOwner, error: Error) {
    // Only after an error of this name the library tries its next address: one that accepts and closes is as useless as one that refuses.
    if (this.socket?.bytesRead === 0) error.name = 'KafkaJSConnectionError';
    rejectRequests.call(this, error);
  };
};

interface Metadata {
  readonly topicMetadata: readonly { readonly partitionMetadata: readonly object[] }[];
}

interface Response {
  parse: (data: Metadata) => Promise<Metadata>;
}

interface Requests {
  readonly versions: readonly string[];
  readonly protocol: (of: { version: string }) => (request: object) => { readonly response: Response };
}

/** In the library, one topic that is missing or refused, or one partition without a leader, fails the whole response and hides all others. */
const patchMetadata = (): void => {
  const { versions, protocol } = metadataRequests as Requests;
  for (const version of versions) {
    const { response } = protocol({ version })({ topics: [] });
    const { parse } = response;
    response.parse = async (data) => {
      const topicMetadata = data.topicMetadata.map((topic) => ({
        ...topic,
        topicErrorCode: 0,
        partitionMetadata: topic.partitionMetadata.map((partition) => ({ ...partition, partitionErrorCode: 0 })),
      }));
      return parse({ ...data, topicMetadata });
    };
  }
};

let isPatched = false;

/** Applies the patches once per process. */
export const applyKafkajsPatches = (): void => {
  if (isPatched) return;
  isPatched = true;
  patchIdleLoop();
  patchTimeoutCheck();
  patchSockets();
  patchMetadata();
};
