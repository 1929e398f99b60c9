// @ts-expect-error the client publishes no types for its inner parts
import BrokerClass from 'kafkajs/src/broker/index.js';
// @ts-expect-error as above
import BrokerPool from 'kafkajs/src/cluster/brokerPool.js';
// @ts-expect-error as above
import { KafkaJSConnectionError } from 'kafkajs/src/errors.js';
// @ts-expect-error the client publishes no types for its inner parts
import Connection from 'kafkajs/src/network/connection.js';
// @ts-expect-error as above
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
// @ts-expect-error as above
import metadataRequests from 'kafkajs/src/protocol/requests/metadata/index.js';

/**
 * Brokers that do not answer are asked last. A broker that hangs keeps its connections, and takes new ones: for the library it stays as
 * good as any, and every question that could go to any broker waits for it in vain again and again.
 */

/** Since when an address has answered nothing, monotonic ms; every client of the process learns from every other. */
const unresponsiveSince = new Map<string, number>();

const becameUnresponsive = (address: string): void => {
  if (!unresponsiveSince.has(address)) unresponsiveSince.set(address, performance.now());
};

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'KafkaJSRequestTimeoutError';

interface Line {
  readonly broker: string;
}

/** An answer ends the silence of a broker, a request without one begins it. */
const patchSend = (): void => {
  const prototype = Connection.prototype as { send: (this: Line, request: object) => Promise<unknown> };
  const { send } = prototype;
  prototype.send = async function (this: Line, request) {
    try {
      const answer = await send.call(this, request);
      unresponsiveSince.delete(this.broker);
      return answer;
    } catch (error) {
      if (isTimeout(error)) becameUnresponsive(this.broker);
      throw error;
    }
  };
};

interface PooledBroker {
  readonly brokerAddress: string;
  readonly versions: unknown;
  isConnected(): boolean;
  connect(): Promise<void>;
  disconnect(): Promise<unknown>;
}

/**
 * A broker that accepts and does not answer counts as connected for ever after, though nothing can be asked of it; and only an error of the
 * connection makes the library go on to the next address.
 */
const patchHalfOpen = (): void => {
  const prototype = BrokerClass.prototype as { connect: (this: PooledBroker) => Promise<void> };
  const { connect } = prototype;
  prototype.connect = async function (this: PooledBroker) {
    try {
      await connect.call(this);
    } catch (error) {
      if (!this.versions) await this.disconnect().catch(() => undefined);
      becameUnresponsive(this.brokerAddress);
      if (!isTimeout(error)) throw error;
      throw new KafkaJSConnectionError((error as Error).message, { broker: this.brokerAddress });
    }
  };
};

interface Pool {
  readonly brokers: Readonly<Record<string, PooledBroker>>;
  seedBroker: PooledBroker;
  connect(): Promise<void>;
  findBroker(of: { nodeId: string }): Promise<PooledBroker>;
}

/** Lower is better: brokers that answer, connected ones first; then those that have been silent for longest. */
const rankOf = (broker: PooledBroker): number =>
  unresponsiveSince.get(broker.brokerAddress) ?? (broker.isConnected() ? -2 : -1);

const patchBrokerChoice = (): void => {
  const prototype = BrokerPool.prototype as { findConnectedBroker: (this: Pool) => Promise<PooledBroker> };
  prototype.findConnectedBroker = async function (this: Pool) {
    const ranked = Object.entries(this.brokers)
      .map(([nodeId, broker]) => ({ nodeId, rank: rankOf(broker) }))
      .sort((a, b) => a.rank - b.rank);
    for (const { nodeId } of ranked)
      try {
        return await this.findBroker({ nodeId });
      } catch {
        // The next one is asked; with none of them there the addresses of the settings are.
      }
    await this.connect();
    return this.seedBroker;
  };
};

/** Makes the clients of this process prefer brokers that answer. */
const patchUnresponsive = (): void => {
  patchSend();
  patchHalfOpen();
  patchBrokerChoice();
};

interface Queue {
  readonly pending: readonly unknown[];
  readonly throttledUntil: number;
}

/** Each connection of the client re-arms a timer of 1 ms for ever; this stops it while nothing waits to be sent. */
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

/** Each connection looks for late requests ten times a second, whether there are any or not; twice is enough, and for all at once. */
const patchTimeoutCheck = (): void => {
  const prototype = RequestQueue.prototype as {
    scheduleRequestTimeoutCheck: (this: TimedQueue) => void;
    destroy: (this: TimedQueue) => void;
  };
  prototype.scheduleRequestTimeoutCheck = function (this: TimedQueue) {
    if (!this.enforceRequestTimeout) return;
    timedQueues.add(this);
    timeoutCheck ??= setInterval(endLateRequests, timeoutCheckMs);
  };
  const { destroy } = prototype;
  prototype.destroy = function (this: TimedQueue) {
    timedQueues.delete(this);
    destroy.call(this);
  };
};

/** Requests that find a connection broken each open a socket of their own, and the end of the forgotten ones ends the good one. */
const patchConnect = (): void => {
  const prototype = Connection.prototype as { connect: (this: object) => Promise<unknown> };
  const { connect } = prototype;
  const connecting = new WeakMap<object, Promise<unknown>>();
  prototype.connect = function (this: object) {
    const open = connecting.get(this);
    if (open) return open;
    const made = connect.call(this).finally(() => connecting.delete(this));
    connecting.set(this, made);
    return made;
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

/** One partition without a leader fails the whole answer, and hides the leaders of all others; here it only has none. */
const patchMetadata = (): void => {
  const { versions, protocol } = metadataRequests as Requests;
  for (const version of versions) {
    const { response } = protocol({ version })({ topics: [] });
    const { parse } = response;
    response.parse = async (data) => {
      const topicMetadata = data.topicMetadata.map((topic) => ({
        ...topic,
        partitionMetadata: topic.partitionMetadata.map((partition) => ({ ...partition, partitionErrorCode: 0 })),
      }));
      return parse({ ...data, topicMetadata });
    };
  }
};

let isPatched = false;

/** Fixes what the library does wrong, once a process. */
export const applyKafkajsPatches = (): void => {
  if (isPatched) return;
  isPatched = true;
  patchIdleLoop();
  patchTimeoutCheck();
  patchConnect();
  patchUnresponsive();
  patchMetadata();
};
